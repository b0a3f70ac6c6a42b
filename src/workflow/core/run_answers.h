// Run answers: what the answers of a run say together, by what people call the phases: the signal of each stage in one
// line, what members found worth telling, and claims that nobody has checked. Pure; made from the state alone.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "workflow/core/run_state.h"
#include "workflow/core/words.h"

namespace teamster::workflow {

// {"p0": "PASS|gaps:0"}: of each stage, in small letters, the field `signal` of the answer that was given last in it;
// of several items one line for all. Null: nobody has given any.
Json signals_of(const Pinned& pinned, const RunState& state);

// {"p1": ["…"]}: what the answers of each stage list as `insights`, those of items included. Null: nothing.
Json insights_of(const Pinned& pinned, const RunState& state);

// What answers list as `claims` and no answer as `verdicts`, each with the step that claims it.
std::vector<std::pair<std::string, std::string>> unchecked_claims(const Pinned& pinned, const RunState& state);

// One signal for many: the worst status, numbers summed, what all say alike, and how many they are.
std::string joined_signal(const std::vector<std::string>& signals);

}  // namespace teamster::workflow
