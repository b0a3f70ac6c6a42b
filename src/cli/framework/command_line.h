// One command line from words to exit code: finds the command, parses, runs, reports. The
// only place that turns errors into text, JSON and exit codes.
#pragma once

#include <string>
#include <vector>

#include "cli/framework/context.h"

namespace teamster::cli {

// `words` without the program's name.
int run_command_line(const Outside& outside, const std::vector<std::string>& words);

}  // namespace teamster::cli
