// The skills that a member of a team would be offered here: what the commands about skills have in common. Functions on
// the context of one command.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "cli/framework/arguments.h"
#include "cli/framework/command.h"
#include "cli/framework/context.h"
#include "skills/catalogue.h"
#include "yaml/problem.h"

namespace teamster::cli {

// --workflow: as a member of its runs.
Flag workflow_of_skills_flag();

// Of the workflow that was named, the project in which the command was called, the user and the program.
Result<std::vector<std::unique_ptr<skills::Source>>> places_of_skills(const Context& context,
                                                                      const Arguments& arguments);

Json problems_json(const std::vector<workflow::Problem>& problems);
std::string problem_lines(const std::vector<workflow::Problem>& problems);

}  // namespace teamster::cli
