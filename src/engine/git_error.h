// From a git that failed to an Error a person can act on: which command, where, what it or a
// hook said, and what to do next. Pure.
#pragma once

#include <string_view>

#include "base/result.h"
#include "engine/program.h"

namespace teamster::engine {

Error git_error(std::string_view command, std::string_view project, const ProgramOutcome& outcome);

}  // namespace teamster::engine
