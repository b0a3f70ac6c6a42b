// What a person's text means as a reply to a question: an option by its words or its number, other words where the
// question takes them, an approval by an exact keyword. Any other text to a gate is feedback, never a yes. The same for
// every way on which people reply. Pure.
#pragma once

#include <string_view>

#include "base/result.h"
#include "people/transport.h"
#include "workflow/core/told.h"

namespace teamster::people {

// With its answer, or whether it is approved with feedback; who says it is left to the caller. Code::invalid, with what
// may be said, where it answers nothing.
Result<workflow::told::Reply> read_reply(const Posting& posting, std::string_view text);

}  // namespace teamster::people
