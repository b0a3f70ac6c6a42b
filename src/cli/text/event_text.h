// Events of the journal for people, with claim tokens hidden. Pure; control characters
// of other processes never reach the terminal.
#pragma once

#include <string>

#include "base/json.h"

namespace teamster::cli {

// The event as every document shows it: each "token" in its body as "…", since a log may be
// pasted anywhere, and usage as usage_document says.
Json event_document(Json event);
// Of one turn, as the journal has it, with the money in cost_usd: there it is in millionths.
Json usage_document(Json usage);
// "seq  time  kind  team  actor  short body" on one line.
std::string event_text(const Json& event);
// The same for a record of a run, with its number there.
std::string record_text(const Json& record);

}  // namespace teamster::cli
