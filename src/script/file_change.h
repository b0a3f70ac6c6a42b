// Changes files as a script says, below the agent's directory unless the path is absolute.
// Missing directories are made; a file that is written keeps its mode. The outcome is what
// the tool's result says. Whoever kills the agent meanwhile finds nothing in that directory
// that is not of the script.
#pragma once

#include <string>

#include "env/files.h"
#include "script/action.h"

namespace teamster::script {

struct FilePlaces {
  std::string directory;  // in which the agent works
  std::string draft;      // where a file is written before it is put in its place: outside of that directory
};

Outcome change_file(env::Files& files, const FilePlaces& places, const ChangeFile& change);

}  // namespace teamster::script
