// Declining: what a person says to a question of a workflow that declines dangerous requests is heard as such, and not
// as an answer. Before anything follows from it, so that neither an agent nor a record of the run has the words. Pure.
#pragma once

#include "workflow/core/run_record.h"
#include "workflow/core/run_state.h"
#include "workflow/core/words.h"

namespace teamster::workflow {

// The event as it is, or step.declined in its place.
RunEvent unless_declined(const Pinned& pinned, const RunState& state, RunEvent event);

}  // namespace teamster::workflow
