// Rules of turns: a member's host says when one begins and how it ended. Between turns the
// redelivery clock runs; what a turn cost is added to the member. The end of a turn that answers
// a prompt names it, so that whoever asked can find the answer whatever died meanwhile.
#pragma once

#include "base/json.h"
#include "store/member_table.h"
#include "team/operation.h"

namespace teamster::team {

Result<Outcome> set_turn(Scene& scene, const Actor& actor, const Json& args);

// The end of the turn that answered a prompt.
Result<Outcome> get_turn(Scene& scene, const Actor& actor, const Json& args);

Json usage_json(const store::UsageTotals& usage);

}  // namespace teamster::team
