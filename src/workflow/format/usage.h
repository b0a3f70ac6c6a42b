// How a workflow is called: its line of usage, from its declared entries and arguments. Pure; for the
// command line's help and for errors about arguments.
#pragma once

#include <string>
#include <vector>

#include "workflow/format/spec.h"

namespace teamster::workflow {

// "teamster run implement-spec SPEC"; an argument that may be left out is in brackets. Of a workflow with entries
// "teamster run ralph research|design …".
std::string usage_line(const Workflow& workflow);
// Of one entry, "teamster run ralph research SPEC"; null: the workflow has none.
std::string usage_line(const Workflow& workflow, const Entry* entry);

// "research spec='login'": for people, what a run was started with, from its entry and its arguments by their names.
std::string start_text(const Workflow& workflow, const std::string& entry, const Json& arguments);

}  // namespace teamster::workflow
