// Teams for people: members, counts, orphans with their age and how to clean up. Pure;
// texts are escaped before they reach a terminal.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/framework/context.h"
#include "engine/team_overview.h"
#include "protocol/client/team_calls.h"

namespace teamster::cli {

// "2 pending, 1 in progress"; "none" when there are none.
std::string task_counts_text(const hub::TaskCounts& counts);
// Name and token file of each member.
std::string new_members_text(const std::vector<hub::NewMember>& members);
std::string team_status_text(const Context& context, const hub::TeamStatus& status);
// Teams with what their members are at, each spec under its heading. Empty when there are none and no spec was asked
// for.
std::string team_overviews_text(const Context& context, const std::vector<engine::TeamOverview>& teams,
                                const std::optional<std::string>& spec);
// "NAME (PLACE, age AGE): reason"
std::string orphan_text(const hub::Orphan& orphan);

}  // namespace teamster::cli
