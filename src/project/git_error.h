// From a git that failed to an Error a person can act on: which command, where, what it or a
// hook said, and what to do next. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "project/program.h"

namespace teamster::engine {

// The lock that somebody else has, or left: a file below `.git`. nullopt where git complains of something else.
std::optional<std::string> lock_named_in(std::string_view said);
// The directory that holds the lock's `.git`.
std::string repository_of_lock(const std::string& lock);

Error git_error(std::string_view command, std::string_view project, const ProgramOutcome& outcome);

}  // namespace teamster::engine
