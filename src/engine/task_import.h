// Tasks of another tool as tasks of a team's list: all of them, in a team of their own or in one that is there. What
// was completed is completed here; what somebody there was at waits for somebody here. Functions on the hub; wait for
// it.
#pragma once

#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "engine/hub_call.h"
#include "interop/claude_tasks.h"

namespace teamster::engine {

struct ImportedTasks {
  std::string team;
  bool is_new_team = false;
  std::vector<TaskId> tasks;  // in the order of what was imported
};

// Into `team`, which is made when it is not there. Where one task is refused a team that was made for them is deleted
// again; in one that was there the error says which tasks have come.
Result<ImportedTasks> import_tasks(const HubCall& call, const std::string& team,
                                   const std::vector<interop::ClaudeTask>& tasks);

}  // namespace teamster::engine
