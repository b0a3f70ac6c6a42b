// What a run may use at most, as its user says it on the command line: "5usd", "100ktokens", "50turns", "2h".
// Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "workflow/core/run_state.h"
#include "workflow/format/spec.h"

namespace teamster::engine {

// One or several, with commas between them.
Result<workflow::Budget> parse_budget(std::string_view text);
// What it says is over what the workflow says; the rest of the workflow's stays. Empty: nothing.
Result<void> apply_budget(std::string_view text, workflow::Budget& budget);

// Of each kind the smaller one. Empty: nothing is limited.
Result<void> limit_budget(std::string_view text, workflow::Budget& budget);
// What a run has not used of its budget, in the same words. Empty where it has none. A budget that is spent leaves as
// little as can be said.
std::string budget_left(const workflow::Budget& budget, const workflow::RunState& state);

}  // namespace teamster::engine
