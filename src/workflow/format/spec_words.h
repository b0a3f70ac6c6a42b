// Spec words: how parts of a workflow are called in workflow.yaml, in one place for readers, drawings and texts.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "workflow/format/spec.h"

namespace teamster::workflow {

// In the order of Phase::Kind.
const std::vector<std::string>& phase_kinds();
const std::string& word_of(Phase::Kind kind);

// "block", "goto plan"
std::string then_text(const Loop& loop);

}  // namespace teamster::workflow
