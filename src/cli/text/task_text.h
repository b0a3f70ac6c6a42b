// Tasks for people: a table of many, a block for one. Pure; texts are escaped before they
// reach a terminal.
#pragma once

#include <string>
#include <vector>

#include "cli/framework/context.h"

namespace teamster::cli {

std::vector<std::string> task_statuses();
// Everything about one task.
std::string task_text(const Context& context, const Json& task);

}  // namespace teamster::cli
