// A run that goes on with what a state file says and this home does not know: where it is, what finished phases have
// answered, and who the people are. Called while the request for the run is made, and by those who begin such a run;
// changes nothing itself.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/framework/arguments.h"
#include "cli/framework/context.h"
#include "engine/run_preparation.h"
#include "project/state_file.h"
#include "workflow/format/spec.h"

namespace teamster::cli::commands {

Result<void> go_on_from_state(Context& context, const std::string& file, const workflow::Workflow& workflow,
                              engine::RunRequest& request);

// Calls `run` with what the state says, and `words` before it; of `arguments` the flags that say how a run is driven.
Result<int> run_from_state(Context& context, const Arguments& arguments, const engine::StateOwner& owner,
                           std::vector<std::string> words);

}  // namespace teamster::cli::commands
