#include "keeper/keeper.h"

#include <unistd.h>

#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"

namespace teamster::cli::commands {

Command keeper() {
  return {
      .path = "keeper",
      .topic = "Machine",
      .summary = "Own the children of a host",
      .description = "Started by the program itself, with a channel to the host as its standard input.",
      .flags = {{.name = "home", .value = "DIRECTORY", .type = ValueType::file, .help = "Whose agents they are"},
                {.name = "directory", .value = "DEVICE:INODE", .help = "The same directory, should it be moved"}},
      .examples = {{"teamster agent start --team demo --member builder --driver claude", "What starts one"}},
      .run = [](Context&, const Arguments&) -> Result<int> { return teamster::keeper::run_keeper(STDIN_FILENO); },
  };
}

}  // namespace teamster::cli::commands
