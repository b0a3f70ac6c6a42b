// The tools that a member of a team has, as they are shown to agents: names, descriptions,
// schemas. What they do is in team_tools.h. Made once per process.
#pragma once

#include <vector>

#include "mcp/tools.h"

namespace teamster::mcp {

std::vector<Tool> team_tool_list();

}  // namespace teamster::mcp
