// Rules of turns: a member's host says when one begins and how it ended. Between turns the
// redelivery clock runs; what a turn cost is added to the member. Texts are kept short
// here: the transcript is a file of the host.
#pragma once

#include "base/json.h"
#include "store/member_table.h"
#include "team/operation.h"

namespace teamster::team {

Result<Outcome> set_turn(Scene& scene, const Actor& actor, const Json& args);

Json usage_json(const store::UsageTotals& usage);

}  // namespace teamster::team
