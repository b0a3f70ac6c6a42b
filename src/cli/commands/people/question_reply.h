// What a person says to a question or gate, on its way into the run: checked, told to the run, and
// waited for until the engine has recorded it. Shared by answer, approve and reject. The engine
// decides which answer counts: the first valid one.
#pragma once

#include <string>

#include "base/json.h"
#include "base/result.h"
#include "cli/framework/arguments.h"
#include "cli/framework/context.h"
#include "cli/commands/people/questions.h"

namespace teamster::cli {

// --as and --timeout.
std::vector<Flag> reply_flags();

// The open question that Q names. Code::invalid when it is a gate and should be none, or the other way round.
Result<RunQuestion> question_for(const Context& context, const std::string& typed, bool wants_gate);

// `said` has an answer, or whether it is approved with feedback or note. Prints what came of it; returns the exit code.
Result<int> reply(Context& context, const Arguments& arguments, const RunQuestion& question,
                  workflow::told::Reply said);

// Who sits at this terminal: --as, else the user's name.
std::string speaker(const Context& context, const Arguments& arguments);

}  // namespace teamster::cli
