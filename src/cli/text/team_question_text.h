// A question of a member whose team has no run, as `inbox` prints it and as JSON with the keys of a run's question. Pure;
// safe to print whatever the member wrote.
#pragma once

#include <string>

#include "base/json.h"
#include "cli/framework/context.h"
#include "engine/team_questions.h"

namespace teamster::cli {

std::string question_text(const Context& context, const engine::TeamQuestion& question);
Json question_json(const engine::TeamQuestion& question);

}  // namespace teamster::cli
