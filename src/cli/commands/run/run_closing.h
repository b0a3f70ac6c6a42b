// Ending a run that no process drives any more: takes its lease, records that it is cancelled, deletes its
// teams and records its end, as its engine would. May be killed anywhere and called again.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/framework/context.h"
#include "cli/commands/run/run_view.h"

namespace teamster::cli {

// The status it ended with. Code::refused when another process has taken it up meanwhile.
Result<std::string> close_run(Context& context, const RunView& view, const std::string& by);

}  // namespace teamster::cli
