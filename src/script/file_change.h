// Changes files as a script says, below the agent's directory unless the path is absolute.
// Missing directories are made; a file that is written keeps its mode. The outcome is what
// the tool's result says.
#pragma once

#include <string>

#include "env/files.h"
#include "script/action.h"

namespace teamster::script {

Outcome change_file(env::Files& files, const std::string& directory, const ChangeFile& change);

}  // namespace teamster::script
