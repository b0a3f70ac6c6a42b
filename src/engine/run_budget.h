// What a run may use at most, as its user says it on the command line: "5usd", "100ktokens", "50turns", "2h".
// Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "workflow/format/spec.h"

namespace teamster::engine {

// One or several, with commas between them.
Result<workflow::Budget> parse_budget(std::string_view text);
// What it says is over what the workflow says; the rest of the workflow's stays. Empty: nothing.
Result<void> apply_budget(std::string_view text, workflow::Budget& budget);

}  // namespace teamster::engine
