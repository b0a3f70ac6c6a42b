// Telling a run something, for the process that drives it, or the next one that does. Shared by the commands with which
// people speak to runs.
#pragma once

#include <string>

#include "base/json.h"
#include "base/result.h"
#include "cli/framework/context.h"
#include "workflow/core/told.h"

namespace teamster::cli {

// How a person at this terminal speaks, in the journal.
inline constexpr const char* kAtTerminal = "terminal";

// The answer's `n` is the record by which it was told.
Result<Json> tell_run(const Context& context, const std::string& run, const workflow::ToldBody& body,
                      const WriteOptions& options = {});

}  // namespace teamster::cli
