// What a person's text means as a reply to a question: an option by its words or its number, an approval by an exact
// keyword. Any other text to a gate is feedback, never a yes. The same for every way on which people reply. Pure.
#pragma once

#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "people/transport.h"

namespace teamster::people {

// {answer}, or {approved, feedback}. Code::invalid, with what may be said, where it answers nothing.
Result<Json> read_reply(const Posting& posting, std::string_view text);

}  // namespace teamster::people
