// What the commands about messages share of their arguments: who says what, and what a receiver can mark. The names of
// the flags are those of their declarations. Pure but for standard input, from which a body may come.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/framework/arguments.h"
#include "cli/framework/context.h"
#include "protocol/client/message_calls.h"
#include "protocol/words/receipt.h"

namespace teamster::cli {

// --from, else the operator; of who shows a token the token says it.
std::string sender_of(const Context& context, const Arguments& arguments);
// TEXT, --kind, --summary and --priority.
Result<hub::MessageText> message_of(const Context& context, const Arguments& arguments);
// --mark.
std::optional<Receipt> mark_of(const Arguments& arguments);
// What it can be: that a message was delivered is said by taking it.
std::vector<std::string> mark_choices();

}  // namespace teamster::cli
