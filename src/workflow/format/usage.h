// How a workflow is called: its line of usage, from its declared arguments. Pure; for the
// command line's help and for errors about arguments.
#pragma once

#include <string>

#include "workflow/format/spec.h"

namespace teamster::workflow {

// "teamster run implement-spec SPEC"; an argument that may be left out is in brackets.
std::string usage_line(const Workflow& workflow);

}  // namespace teamster::workflow
