// Messages for people: one block each, the body indented. Pure; bodies are other
// members' words and are escaped before they reach a terminal.
#pragma once

#include <string>
#include <vector>

#include "cli/framework/context.h"
#include "protocol/client/message_calls.h"

namespace teamster::cli {

// One line with id, who, kind, receipt and age; the summary; the body, indented; an empty line.
std::string message_text(const Context& context, const hub::Message& message);
// The receipt with all its times.
std::string receipt_text(const hub::Message& message);

}  // namespace teamster::cli
