// What people and commands tell a run, on its way to the hub: the engine hears it from the journal, where it stays with
// who said it, how and when. Values.
#pragma once

#include <string>

#include "protocol/client/run_calls.h"
#include "workflow/core/told.h"

namespace teamster::engine {

// How somebody at a terminal speaks, in the journal.
inline constexpr const char* kAtTerminal = "terminal";

hub::TellRun telling(const std::string& run, const workflow::ToldBody& said);

}  // namespace teamster::engine
