// What an agent is told beside its prompt when a step is tried again: what is wrong, that somebody began, what a person
// said, what was done while it was not asked. Pure.
#pragma once

#include <string>

#include "workflow/core/words.h"

namespace teamster::workflow {

// Instead of the prompt, to an agent that knows it already; empty: the prompt is said.
std::string instead_of_prompt(const Phase& phase, const PromptParts& parts);
// Before the prompt; empty: nothing.
std::string before_prompt(const Pinned& pinned, const Moment& moment, const PromptParts& parts);
// Behind it; empty: nothing.
std::string behind_prompt(const PromptParts& parts);

}  // namespace teamster::workflow
