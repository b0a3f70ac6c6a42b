// Paths below the user's project, as workflows and templates name them: relative, and never
// out of the project. Pure. Links are another matter: Files::read_beneath refuses those.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace teamster::engine {

// Code::invalid when it is empty, absolute, has a ".." or a control character. `what` says whose path it is.
Result<void> check_project_path(std::string_view what, std::string_view path);

// One name of a file in a directory; none that begins with a dot.
Result<void> check_file_name(std::string_view what, std::string_view name);

// "progress" and "progress/" hold "progress/a" and not "progressive"; "." holds everything.
bool is_at_or_below(std::string_view path, std::string_view directory);

}  // namespace teamster::engine
