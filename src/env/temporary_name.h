// The name of a file while it is being written, before it gets the one it was meant for: said once, so that whoever
// finds one that a killed process has left knows it. Pure.
#pragma once

#include <string>

#include "env/random.h"

namespace teamster::env {

// ".tmp-PID-RANDOM"
std::string temporary_name(std::int64_t pid, Random& random);
// Matches each of them and nothing else, as a glob of the shell.
std::string temporary_name_glob();

}  // namespace teamster::env
