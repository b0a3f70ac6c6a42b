// The tools that a member of a team has, as they are shown to agents: names, descriptions,
// schemas. What they do is in team_tools.h. Made once per process.
#pragma once

#include <vector>

#include "mcp/tools.h"
#include "skills/level_one.h"

namespace teamster::mcp {

// `skills` are named in the description of read_skill.
std::vector<Tool> team_tool_list(const skills::LevelOne& skills);

}  // namespace teamster::mcp
