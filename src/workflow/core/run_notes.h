// What the fold of a run keeps for those who look back: how far up the ladder each step went and why, and what people
// decided. Part of the fold (run_state_fold.cc), which alone calls it. Pure.
#pragma once

#include <string>

#include "base/json.h"
#include "workflow/core/run_state.h"

namespace teamster::workflow {

// "L2|why", on one line: it is read in a list.
void note_rung(RunState& state, const std::string& step, const char* level, const std::string& why);

// What a person said in words of their own, or chose where it was not about how to go on.
void note_directive(RunState& state, const std::string& step, const command::Ask& asked, const Json& answer);

}  // namespace teamster::workflow
