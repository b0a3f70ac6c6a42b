// Completion scripts for shells. Each hands the words of the command line to `teamster complete`, which decides what
// may stand there, and shows what comes back. Constants.
#pragma once

#include <string_view>

namespace teamster::cli {

std::string_view bash_completion();
std::string_view zsh_completion();
std::string_view fish_completion();

// The line with which `teamster complete` says that a file is wanted.
inline constexpr std::string_view kCompletesFile = ":file";

}  // namespace teamster::cli
