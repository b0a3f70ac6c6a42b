// Where checks run and with what: programs on PATH, the environment, the root of the repository. Functions on the
// world.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "env/processes.h"
#include "env/world.h"

namespace teamster::verify {

// A program on PATH; empty when there is none.
std::string find_program(const env::World& world, const std::string& name);

// The environment of checks: that of this process, with the directory of this program first on PATH, and with how deep
// verifications are in each other.
std::vector<std::string> check_environment(env::Processes& processes);

// 0: no check started this process.
int verification_depth(env::Processes& processes);

// The root of the repository that a directory is in, by the git program; nullopt: it is in none, or there is no git.
// Turns the loop until git has answered.
std::optional<std::string> find_repository_root(const env::World& world, const std::string& directory);

}  // namespace teamster::verify
