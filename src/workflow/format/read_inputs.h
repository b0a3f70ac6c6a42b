// Readers of what many parts of a workflow share: sources, inputs, conditions, budgets. Used by
// read_spec alone. What is wrong becomes a problem; the rest is returned.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "workflow/format/spec.h"
#include "yaml/fields.h"

namespace teamster::workflow {

// A list of at least one text, none of them empty.
std::vector<std::string> read_names(Fields& fields, const std::string& key);
// One source, or a list of them.
std::vector<Source> read_sources(const Reading& reading, const Node& node);
Inputs read_inputs(const Reading& reading, const Node& node);

// Whether a map in a condition is a test such as `{every: …}`, or a mistake.
enum class Tests { none, allowed };
// `what` says whose condition it is: "`when` of a way". A test that is returned has one of `every`, `any`, `none`,
// `count`, `changed_since`, and whole numbers as bounds.
Condition read_condition(const Reading& reading, const Node& node, const std::string& what, Tests tests);
// The same keys with values of any form.
std::map<std::string, Json> read_fields(const Reading& reading, const Node& node, const std::string& what);
Ladder read_ladder(const Reading& reading, const Node& node, const std::string& what);
Budget read_budget(const Reading& reading, const Node& node, const std::string& what);
// Of the whole workflow or, with its own default, of a phase.
Team read_team(const Reading& reading, const Node& node, Team::Scope fallback);

}  // namespace teamster::workflow
