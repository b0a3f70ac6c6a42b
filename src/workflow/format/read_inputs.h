// Readers of what many parts of a workflow share: sources, inputs, conditions, budgets. Used by
// read_spec alone. What is wrong becomes a problem; the rest is returned.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "workflow/format/spec.h"
#include "yaml/fields.h"

namespace teamster::workflow {

// One source, or a list of them.
std::vector<Source> read_sources(const Reading& reading, const Node& node);
Inputs read_inputs(const Reading& reading, const Node& node);

// `what` says whose condition it is: "`when` of a way".
Condition read_condition(const Reading& reading, const Node& node, const std::string& what);
Ladder read_ladder(const Reading& reading, const Node& node, const std::string& what);
Budget read_budget(const Reading& reading, const Node& node, const std::string& what);
// Of the whole workflow or, with its own default, of a phase.
Team read_team(const Reading& reading, const Node& node, Team::Scope fallback);

}  // namespace teamster::workflow
