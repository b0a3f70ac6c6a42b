// What is known to be secret on this machine: values of variables and settings that are called so, in the environment,
// in the project's .env files and in the files in which tools keep their logins. Only for taking it out of what goes to
// people (base/redaction.h); nothing of it is kept. Reads the world; never fails.
#pragma once

#include <string>
#include <vector>

#include "env/world.h"

namespace teamster::engine {

std::vector<std::string> known_secrets(const env::World& world, const std::string& project);

// The secrets in a text of NAME=value lines, of which all names count or only those that are called so, or in JSON.
std::vector<std::string> secrets_in(const std::string& text);

}  // namespace teamster::engine
