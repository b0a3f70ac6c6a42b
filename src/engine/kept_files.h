// KeptFiles: files outside of the project that members have handed in (`files` of a phase) belong to the role that did:
// a manifest to whoever defines, a log to whoever executes. Before a turn of another role they are kept in the run's
// directory, after it they are compared, and what was changed is put back, whatever crashed in between. What lies in
// the project is TreeWatch's. Owned by RunEffects; on its loop.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "env/files.h"
#include "workflow/core/run_state.h"
#include "workflow/format/spec.h"

namespace teamster::engine {

class KeptFiles {
 public:
  // `directory` is where copies are kept.
  KeptFiles(env::Files& files, const workflow::Workflow& workflow, std::string project, std::string directory);

  // Before the turn of this role. `again`: the turn had begun before a crash, so what was kept then counts.
  void begin(const std::string& id, const std::string& role, const workflow::RunState& state, bool again);
  // After it: the paths that it had no business to change. They are as they were.
  std::vector<std::string> end(const std::string& id);
  void drop(const std::string& id) { watched_.erase(id); }

 private:
  struct HandedIn {
    std::string path;
    std::string role;  // whose it is
  };
  struct Watched {
    std::string role;
    std::vector<HandedIn> files;
  };
  std::vector<HandedIn> handed_in(const workflow::RunState& state) const;
  std::string copy_of(const std::string& path) const;

  env::Files& files_;
  const workflow::Workflow& workflow_;
  const std::string project_;
  const std::string directory_;
  std::map<std::string, Watched> watched_;  // by effect
};

}  // namespace teamster::engine
