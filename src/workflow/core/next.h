// next: what follows from an event in a run. Pure: the same workflow, state and event give the
// same commands; no clock, no files, no chance. It never fails: what cannot go on parks the run,
// with a question to its owner.
#pragma once

#include <vector>

#include "workflow/core/run_record.h"
#include "workflow/core/run_state.h"
#include "workflow/core/words.h"

namespace teamster::workflow {

// `state` is the one before the event. The event with these commands is the next record.
std::vector<RunCommand> next(const Pinned& pinned, const RunState& state, const RunEvent& event);
// The same, for who goes on from there: the record, and the state after it instead of the one before.
RunRecord advance(const Pinned& pinned, RunState& state, RunEvent event);

}  // namespace teamster::workflow
