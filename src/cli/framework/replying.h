// What a person says at a command to a question or gate: found, told to the run, and what came of it printed. Shared by
// answer, approve and reject.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "cli/framework/arguments.h"
#include "cli/framework/context.h"
#include "engine/run_service.h"

namespace teamster::cli {

// --as and --timeout.
std::vector<Flag> reply_flags();

// The open question that Q names. Code::invalid when it is a gate and should be none, or the other way round.
Result<engine::RunQuestion> question_for(const Context& context, const std::string& typed, bool wants_gate);

// `said` has an answer, or whether it is approved with feedback or note. Prints what came of it; returns the exit code.
Result<int> reply(Context& context, const Arguments& arguments, const engine::RunQuestion& question,
                  workflow::told::Reply said);

// Who sits at this terminal: --as, else the user's name.
std::string speaker(const Context& context, const Arguments& arguments);
std::string user_name(const Context& context);

}  // namespace teamster::cli
