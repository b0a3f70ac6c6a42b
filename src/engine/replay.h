// Replay: a run's journal folded again from its first record, and what this program would decide today
// for each event beside what was recorded. Recorded decisions win; a difference is only
// shown. Also whether the run's snapshot is the state that its records give. A value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "engine/run_reading.h"
#include "engine/snapshot.h"
#include "workflow/core/words.h"

namespace teamster::engine {

struct Difference {
  std::int64_t n = 0;
  std::string kind;  // of the event
  std::vector<workflow::RunCommand> recorded = {};
  std::vector<workflow::RunCommand> today = {};
};

class Replay {
 public:
  // Without a workflow nothing is decided again, and a snapshot that is absent is not compared.
  Replay(std::optional<workflow::Pinned> pinned, std::optional<Snapshot> snapshot);
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  RunReading& reading() { return reading_; }
  const RunReading& reading() const { return reading_; }
  const std::vector<Difference>& differences() const { return differences_; }
  std::int64_t decided() const { return decided_; }

  // Fields of the state in which the snapshot differs from the fold up to its record. Nothing when there is
  // no snapshot; after the whole journal was read.
  std::optional<std::vector<std::string>> snapshot_differences() const;

 private:
  void look_at(const workflow::RunState& before, const Recorded& recorded);
  void compare_snapshot(const workflow::RunState& state);

  std::optional<workflow::Pinned> pinned_;
  std::optional<Snapshot> snapshot_;
  RunReading reading_;
  std::vector<Difference> differences_;
  std::int64_t decided_ = 0;
  std::optional<std::vector<std::string>> snapshot_differences_;
};

}  // namespace teamster::engine
