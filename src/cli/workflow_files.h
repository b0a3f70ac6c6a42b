// Where workflows come from: a directory that is named by its path, the project's own, the user's
// own, or built in; in this order. Reads files, nothing else.
#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "workflow/bundle.h"
#include "workflow/load.h"

namespace teamster::cli {

struct FoundWorkflow {
  std::string name;
  std::string origin;  // its directory, or "built in"
  workflow::Bundle bundle;
};

// A name, or a path with a slash in it. Code::not_found says what there is.
Result<FoundWorkflow> find_workflow(const Context& context, const std::string& name);
// Every name once: where it would be taken from.
std::vector<FoundWorkflow> all_workflows(const Context& context);

// Checked; the error has the problems, one a line.
Result<workflow::Workflow> load_checked(const FoundWorkflow& found);

}  // namespace teamster::cli
