// An agent's doings as lines for people, from activities and from transcript entries. Safe
// to print whatever the agent wrote.
#pragma once

#include <string>

#include "agent/hosted_member.h"
#include "base/json.h"

namespace teamster::cli {

// Empty for what is not worth a line.
std::string activity_text(const agent::Activity& activity);
// What it does now, in few words on one line: "Bash make test". Empty when it does not say.
std::string doing_text(const agent::Activity& activity);
std::string turn_text(const agent::TurnResult& result);
std::string transcript_text(const Json& entry);
// "1,200 in, 80 out, 0.0123 USD"
std::string usage_text(const Json& usage);

}  // namespace teamster::cli
