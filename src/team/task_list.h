// Rules of the task list: dependencies, the claim with its one winner and its token, and
// which status may follow which. What holds for reserved tasks besides is in reserved_tasks.h.
#pragma once

#include "base/json.h"
#include "team/operation.h"

namespace teamster::team {

Result<Outcome> create_task(Scene& scene, const Actor& actor, const Json& args);
Result<Outcome> list_tasks(Scene& scene, const Actor& actor, const Json& args);
Result<Outcome> get_task(Scene& scene, const Actor& actor, const Json& args);
// Without an id the lowest that is free and unblocked; empty until there is one.
Result<Outcome> claim_task(Scene& scene, const Actor& actor, const Json& args);
// The recorded answer of a claim names the task and its token; this adds the rest.
Result<std::string> render_claim(Scene& scene, const std::string& recorded);
Result<Outcome> update_task(Scene& scene, const Actor& actor, const Json& args);

}  // namespace teamster::team
