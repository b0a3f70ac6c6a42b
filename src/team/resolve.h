// Who and where a request means: the team, member or run that its arguments name, checked
// against the actor. Used by every rule before anything else.
#pragma once

#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "store/member_table.h"
#include "store/run_table.h"
#include "store/team_table.h"
#include "team/actor.h"

namespace teamster::team {

// The team named by args.team; a member's own when left out, and no other. A write to a
// team that is not there is refused; a read finds nothing.
Result<store::TeamRow> resolve_team(Scene& scene, const Actor& actor, const Json& args,
                                    Code when_missing = Code::refused);

// The member as whom the actor acts, named by args[field]. For the operator the field is
// required unless `default_name` is given; a member may leave it out and can only be itself.
// The operator's own address counts as a member here. Gone members are refused.
Result<store::MemberRow> resolve_self(Scene& scene, const Actor& actor, const store::TeamRow& team, const Json& args,
                                      std::string_view field, std::string_view default_name = {});

// A live member (or the operator) to whom something is addressed.
Result<store::MemberRow> resolve_live(Scene& scene, const store::TeamRow& team, std::string_view name);

// Refuses an operator's request on behalf of one epoch (args.epoch) when the member is in
// another: the host of an older epoch must not go on.
Result<void> check_epoch(const store::MemberRow& member, const Json& args);

// The run named by args.run. When there is none the error names those that come nearest.
Result<store::RunRow> resolve_run(Scene& scene, const Json& args);
// The same, and one that has ended is refused.
Result<store::RunRow> resolve_live_run(Scene& scene, const Json& args);

}  // namespace teamster::team
