// Events of the journal for people, with claim tokens hidden. Pure; control characters
// of other processes never reach the terminal.
#pragma once

#include <string>

#include "base/json.h"
#include "cli/text/palette.h"

namespace teamster::cli {

// The event as every document shows it: each "token" in its body as "…", since a log may be
// pasted anywhere, and usage as usage_document says.
Json event_document(Json event);
// Of one turn, as the journal has it, with the money in cost_usd: there it is in millionths.
Json usage_document(Json usage);
// "seq  time  kind  team or run  actor  body" on one line, the body in words: "to tester, body the parser is ready".
// What has parts of its own is left to --json where a person looks at it.
enum class Detail { for_people, all };
std::string event_text(const Json& event, const Palette& palette, Detail detail);

}  // namespace teamster::cli
