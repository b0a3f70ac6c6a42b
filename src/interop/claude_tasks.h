// ClaudeTaskList: a task list that Claude Code keeps, one JSON file for each task, read whole or not at all: so that it
// can become a list of ours. What we have no place for stays with the task. Reads only. Values and functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/result.h"
#include "env/files.h"

namespace teamster::interop {

struct ClaudeTask {
  std::string id;
  std::string subject;
  std::string description;
  bool is_completed = false;
  std::vector<std::string> blocked_by = {};  // ids of tasks of the list; one that is gone blocks nothing
  Json metadata = Json::object();            // its own, and under "imported" every other key that it has
};

// Each comes after those that it is blocked by; those that were deleted are left out. Code::not_found when the
// directory has no task, Code::invalid with the file and what is wrong in it when one cannot be understood.
Result<std::vector<ClaudeTask>> read_claude_tasks(env::Files& files, const std::string& directory);

}  // namespace teamster::interop
