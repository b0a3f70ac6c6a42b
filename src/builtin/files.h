// The files that are part of the program: workflows, skills, profiles of reviewers and examples, by their paths in the
// repository. Made by the build (cmake/embed.cmake), so that one binary is enough.
#pragma once

#include <map>
#include <string>

namespace teamster::builtin {

const std::map<std::string, std::string>& files();

// Those below a directory, by their paths from there on.
std::map<std::string, std::string> files_below(const std::string& directory);

}  // namespace teamster::builtin
