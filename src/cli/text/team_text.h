// Teams for people: members, counts, orphans with their age and how to clean up. Pure;
// texts are escaped before they reach a terminal.
#pragma once

#include <string>

#include "cli/framework/context.h"

namespace teamster::cli {

// "2 pending, 1 in progress"; "none" when there are none.
std::string task_counts_text(const Json& tasks);
// Name and token file of each member.
std::string new_members_text(const Json& members);
std::string team_status_text(const Context& context, const Json& status);
// "NAME (PLACE, age AGE): reason"
std::string orphan_text(const Json& orphan);
// The same of a team of Claude Code's own, with its members and tasks.
std::string claude_team_text(const Json& team);

}  // namespace teamster::cli
