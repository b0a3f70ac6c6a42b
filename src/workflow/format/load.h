// From the files of a workflow to a model that can be run, or to everything that is wrong with
// them. The one entry for whoever uses workflows. Pure, quick and bounded whatever the files are.
#pragma once

#include <optional>
#include <vector>

#include "workflow/format/bundle.h"
#include "workflow/format/spec.h"
#include "yaml/problem.h"

namespace teamster::workflow {

struct Loaded {
  std::optional<Workflow> workflow;  // only when there is no problem
  std::vector<Problem> problems;     // sorted
  std::size_t problems_left_out = 0;
};

Loaded load_workflow(const Bundle& bundle);
// Of a bundle that was checked when its run was started: rules that have come since do not stop that run.
Loaded load_pinned(const Bundle& bundle);

}  // namespace teamster::workflow
