// A record of a run in words, for who watches it: the line that says what happened, and those that
// say what was decided. Pure; safe to print whatever agents and people wrote.
#pragma once

#include <string>
#include <vector>

#include "cli/text/palette.h"
#include "engine/recorded.h"
#include "workflow/core/run_state.h"

namespace teamster::cli {

// None for what nobody wants to read.
std::vector<std::string> lines_of(const engine::Recorded& recorded, const Palette& palette);
// What happened, without the step's name and the time: "done, all_passed no: 2 of 12 fail". `took` is how long, where
// it is known: "done in 3 s". Empty as above.
std::string happened_text(const workflow::RunEvent& event, const Palette& palette, const std::string& took = {});
// Who does what from now on: "verify.1 → reviewer". Empty for what nobody wants to read.
std::string decided_text(const workflow::RunCommand& decided, const Palette& palette);
// Where a run that was interrupted goes on.
std::string taken_up_line(const std::string& run, const workflow::RunState& state);

}  // namespace teamster::cli
