// A run that goes on with what a state file says and this home does not know: where it is, what finished phases have
// answered, and who the people are. Called while the request for the run is made; changes nothing.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/framework/context.h"
#include "engine/run_preparation.h"
#include "workflow/format/spec.h"

namespace teamster::cli::commands {

Result<void> go_on_from_state(Context& context, const std::string& file, const workflow::Workflow& workflow,
                              engine::RunRequest& request);

}  // namespace teamster::cli::commands
