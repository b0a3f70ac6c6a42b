// Tasks for people: a table of many, a block for one. Pure; texts are escaped before they
// reach a terminal.
#pragma once

#include <string>
#include <vector>

#include "cli/framework/context.h"
#include "protocol/client/task_calls.h"

namespace teamster::cli {

// Everything about one task.
std::string task_text(const Context& context, const hub::Task& task);

}  // namespace teamster::cli
