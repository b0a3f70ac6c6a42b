// Configuration: what users set about a workflow without changing it: agents of its roles, and how long things may
// take. By names with dots, as "roles.builder.model" and "phases.build.limit". Pure; which files say it is project's
// business.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "workflow/format/spec.h"

namespace teamster::workflow {

using Configuration = std::map<std::string, std::string>;

// Every name that this workflow has.
std::vector<std::string> configurable_names(const Workflow& workflow);

// What is wrong, by the name that it is about.
std::vector<std::pair<std::string, std::string>> problems_of(const Configuration& configuration,
                                                             const Workflow& workflow);

// Names that the workflow does not have, and values that say nothing, change nothing.
void configure(Workflow& workflow, const Configuration& configuration);

}  // namespace teamster::workflow
