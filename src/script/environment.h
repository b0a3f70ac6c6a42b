// Environments of child processes: a list of "NAME=value" with some of them changed. Pure.
// What comes later in `changes` replaces what was there under the same name.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace teamster::script {

std::vector<std::string> with_variables(std::vector<std::string> environment,
                                        const std::map<std::string, std::string>& changes);

}  // namespace teamster::script
