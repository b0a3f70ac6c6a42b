// Readers of the parts of workflow.yaml, one function each. Used by read_spec alone.
// What is wrong becomes a problem; the rest is returned.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "workflow/format/spec.h"
#include "yaml/fields.h"

namespace teamster::workflow {

std::vector<Entry> read_entries(const Reading& reading, const Node& node);
std::vector<Argument> read_arguments(const Reading& reading, const Node& node);
std::vector<Flag> read_flags(const Reading& reading, const Node& node);
std::vector<Value> read_values(const Reading& reading, const Node& node);
std::map<std::string, Role> read_roles(const Reading& reading, const Node& node);
std::map<std::string, Loop> read_loops(const Reading& reading, const Node& node);
std::vector<Precondition> read_preconditions(const Reading& reading, const Node& node);
Messages read_messages(const Reading& reading, const Node& node);
Ledger read_ledger(const Reading& reading, const Node& node);
State read_state(const Reading& reading, const Node& node);
Series read_series(const Reading& reading, const Node& node);

std::vector<Way> read_ways(const Reading& reading, const Node& node);
Phase read_phase(const Reading& reading, const Node& node);

}  // namespace teamster::workflow
