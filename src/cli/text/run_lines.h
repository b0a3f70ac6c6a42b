// A record of a run in words, for who watches it: the line that says what happened, and those that
// say what was decided. Pure.
#pragma once

#include <string>
#include <vector>

#include "engine/run.h"

namespace teamster::cli {

// None for what nobody wants to read.
std::vector<std::string> lines_of(const engine::Recorded& recorded);

}  // namespace teamster::cli
