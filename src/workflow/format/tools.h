// Tools of a role: what its agent has where the workflow does not say it, and whether it can write with what it has.
// Pure. The names are those that agents give their tools; a rule such as `Bash(git *)` allows some uses of one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "workflow/format/spec.h"

namespace teamster::workflow {

// Reading, searching and a shell; editing and writing as well for who may write. Every role that has no `tools` has
// these: read_spec puts them into Role::tools.
const std::vector<std::string>& default_tools(bool may_write);

// NAME or NAME(PATTERN).
bool is_tool_rule(std::string_view text);

// Empty: it can change files of the project. Otherwise why it cannot: "may write nothing (`writes: []`)".
std::string why_it_cannot_write(const Role& role);
// One of its tools changes files, or may do so as a shell does.
bool has_writing_tool(const Role& role);

}  // namespace teamster::workflow
