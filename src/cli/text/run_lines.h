// A record of a run in words, for who watches it: the line that says what happened, and those that
// say what was decided. Pure.
#pragma once

#include <string>
#include <vector>

#include "engine/recorded.h"
#include "workflow/core/run_state.h"

namespace teamster::cli {

// None for what nobody wants to read.
std::vector<std::string> lines_of(const engine::Recorded& recorded);
// Where a run that was interrupted goes on.
std::string taken_up_line(const std::string& run, const workflow::RunState& state);

}  // namespace teamster::cli
