// The command line of `teamster script-agent`: claude's flags as our driver uses them, and a
// few of its own. An unknown flag is refused by name, as claude does. Reads the MCP
// configuration when it is a file; nothing else of the world.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "env/files.h"
#include "script/settings.h"

namespace teamster::script {

struct CommandLine {
  Settings settings;
  bool wants_version = false;
  std::optional<std::string> check;  // a script to look at, and nothing more
};

using Variable = std::function<std::optional<std::string>(const char* name)>;

// The words after the command. Errors are worded as claude's.
Result<CommandLine> parse_flags(std::span<const std::string> words, const Variable& variable, env::Files& files);

}  // namespace teamster::script
