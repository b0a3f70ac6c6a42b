// Spec words: how parts of a workflow are called in workflow.yaml, in one place for readers, drawings and texts.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "workflow/format/spec.h"

namespace teamster::workflow {

// In the order of Phase::Kind.
const std::vector<std::string>& phase_kinds();
const std::string& word_of(Phase::Kind kind);

// What people and ledgers call the phase: its `stage`, else its place in the list.
std::string stage_of(const Phase& phase);
// The same where it is a whole number.
std::optional<std::int64_t> stage_number(const Phase& phase);
// The skill that an agent works by on the item, or in a phase without items; empty: none.
std::string skill_for(const Phase& phase, const Json* item);

// "block", "goto plan"
std::string then_text(const Loop& loop);

}  // namespace teamster::workflow
