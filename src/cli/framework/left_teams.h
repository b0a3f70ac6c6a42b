// How commands reach teams that nobody runs any more, and how their user is warned of them: when a run starts and when
// one ends. Functions on the context; the only place that wires engine/left_teams.h to the real world.
#pragma once

#include <set>
#include <string>

#include "base/result.h"
#include "cli/framework/context.h"
#include "engine/left_teams.h"

namespace teamster::cli {

// The context outlives it.
Result<engine::LeftTeams> left_teams_of(const Context& context);

// Of those that are older than limits::kOrphanWarnAge and whose place is not among `told`, which it joins. What cannot
// be looked at is no reason to fail for anybody.
void warn_of_left_teams(const Context& context, std::set<std::string>& told);

}  // namespace teamster::cli
