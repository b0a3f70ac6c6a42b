// Completion scripts, complete in themselves, generated from the declarations. They walk
// the words before the cursor to find the command, then offer its verbs, flags or values.
#pragma once

#include <string>

#include "cli/framework/registry.h"

namespace teamster::cli {

std::string bash_completion(const Registry& registry);
std::string zsh_completion(const Registry& registry);
std::string fish_completion(const Registry& registry);

}  // namespace teamster::cli
