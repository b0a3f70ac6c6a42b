// Snapshot: the state of a run as of a record, in a file beside its bundle, so that taking a run up
// costs what happened since and not its whole life. The journal is the truth: a snapshot that is
// torn, missing or of something else is as good as none. Values and their file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "env/files.h"
#include "protocol/client/home.h"
#include "workflow/core/run_state.h"

namespace teamster::engine {

struct Snapshot {
  std::int64_t n = 0;  // of the last record in it
  workflow::RunState state;
  std::map<std::string, WallTime> since = {};  // when each open effect was decided
};

class SnapshotFile {
 public:
  // `digest` is that of the run's bundle.
  SnapshotFile(env::Files& files, const hub::Home& home, const std::string& run, std::string digest);

  // Nothing when there is none. Code::invalid when it is torn, or of another bundle, or of a record that
  // there is not: the journal is read from its beginning then.
  Result<std::optional<Snapshot>> read(std::int64_t last_n) const;
  // May be lost with the power: it waits for no disk.
  Result<void> write(const Snapshot& snapshot) const;

 private:
  env::Files& files_;
  std::string path_;
  std::string digest_;
};

}  // namespace teamster::engine
