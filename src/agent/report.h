// Report: what the `report` tool of a member's agent has left for its host (mcp/report_box.h, docs/formats/agent.md):
// the result it took, and what was wrong with the last one it refused. Functions on the member's directory.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "env/files.h"

namespace teamster::agent {

struct Report {
  std::optional<Json> result = {};
  std::vector<std::string> problems = {};  // of the last that was refused; empty: none was
};

// Where the result lies that it took; absent: it has taken none.
std::string report_file_in(const std::string& member_directory);

// What cannot be read is as if it were absent: the agent's words count then.
Report read_report(env::Files& files, const std::string& member_directory);
void forget_report(env::Files& files, const std::string& member_directory);

}  // namespace teamster::agent
