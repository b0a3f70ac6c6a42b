// Events of the journal for people, with claim tokens hidden. Pure; control characters
// of other processes never reach the terminal.
#pragma once

#include <string>

#include "base/json.h"

namespace teamster::cli {

// The event with every "token" in its body shown as "…": a log may be pasted anywhere.
Json without_tokens(Json event);
// "seq  time  kind  team  actor  short body" on one line.
std::string event_text(const Json& event);
// The same for a record of a run, with its number there.
std::string record_text(const Json& record);

}  // namespace teamster::cli
