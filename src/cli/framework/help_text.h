// Help for people, at 80 columns, from declarations alone. Pure: what --help prints can be
// tested without running a command.
#pragma once

#include <string>
#include <string_view>

#include "cli/framework/registry.h"

namespace teamster::cli {

std::string help_overview(const Registry& registry);
// `first_word` of commands with verbs: "team".
std::string help_group(const Registry& registry, std::string_view first_word);
std::string help_command(const Command& command);
// One of the above, for "" and "team" and "team create".
std::string help_for(const Registry& registry, std::string_view path);

// "teamster task get ID --team TEAM [--json]…", one element per part that must not be torn.
std::vector<std::string> usage_parts(const Command& command);
// "--timeout TIME"
std::string flag_form(const Flag& flag);
// The help with choices and default.
std::string flag_help(const Flag& flag);

}  // namespace teamster::cli
