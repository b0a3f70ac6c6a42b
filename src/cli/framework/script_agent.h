// `teamster script-agent`: plays a rehearsal script in place of an agent, with the command
// line and the pipes of `claude -p` (docs/formats/script.md). Started by drivers and tests,
// not by people, so it is no command of the registry: its flags are not ours to choose.
#pragma once

#include <span>
#include <string>

#include "cli/framework/context.h"

namespace teamster::cli {

// The exit code. 1: refused as claude refuses; 2: the script is wrong.
int script_agent(const Outside& outside, std::span<const std::string> words);

}  // namespace teamster::cli
