// PlaceFile: the records of one session on disk, <directory>/<session id>.jsonl. Each record
// is one append, so the cost of a step does not grow with the session, and a crash leaves at
// most one line without its end. Written for a process that dies, not for a power cut: no
// sync. Borrows the files; owned by the agent.
#pragma once

#include <optional>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "env/files.h"
#include "script/place.h"

namespace teamster::script {

class PlaceFile {
 public:
  PlaceFile(env::Files& files, std::string directory, const std::string& session_id)
      : files_(files), directory_(std::move(directory)), path_(directory_ + "/" + session_id + ".jsonl") {}

  // nullopt when this session was never spoken to. Mends what a crash left.
  Result<std::optional<Place>> load();
  // The first one makes the directory.
  Result<void> append(const Json& record);
  const std::string& path() const { return path_; }

 private:
  env::Files& files_;
  std::string directory_;
  std::string path_;
  bool has_directory_ = false;
};

}  // namespace teamster::script
