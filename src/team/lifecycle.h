// Rules of a team's end: the shutdown handshake, deletion, the removal of old history,
// and what falls due by itself. A team with live members is deleted only by force.
#pragma once

#include <optional>

#include "base/json.h"
#include "base/time.h"
#include "team/operation.h"

namespace teamster::team {

// Asks every live member once, then is empty until all have gone or the time is up.
// Asking again joins the handshake that runs. Native members are not asked: they go at once.
Result<Outcome> shut_down_team(Scene& scene, const Actor& actor, const Json& args);
Result<Outcome> delete_team(Scene& scene, const Actor& actor, const Json& args);
Result<Outcome> collect_garbage(Scene& scene, const Actor& actor, const Json& args);

// A member's answer to a shutdown request, after it was recorded as a message.
Result<void> take_shutdown_answer(Scene& scene, const store::MemberRow& member, const Json& answer);

// Ends the handshakes whose time is up, by force. Run inside a command of its own.
Result<void> expire_shutdowns(Scene& scene);

}  // namespace teamster::team
