// RunAdjustment: what a person changes about a run that is under way: settings, and what it may use. A value, and what
// the run is told of it; made from what was typed and the workflow that the run is pinned to. Pure.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "workflow/core/told.h"
#include "workflow/format/spec.h"

namespace teamster::engine {

struct RunAdjustment {
  std::vector<std::string> settings = {};  // NAME=VALUE each
  std::string budget = {};                 // as of `teamster run`

  bool empty() const { return settings.empty() && budget.empty(); }
};

// Without who says it. A setting that means nothing to the workflow is refused.
Result<workflow::told::Adjust> told_of(const RunAdjustment& adjustment, const workflow::Workflow& workflow);

}  // namespace teamster::engine
