// Words in a prompt that the workflow's author did not write: what agents and people said, what commands printed, what
// files hold. They are fenced, the fence says whose they are, and nothing in them can end it: its mark is made from the
// words. A short line stands in quotes with its speaker before it. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace teamster::workflow {

// A block. `whose`: "builder, implement", "kim", "specs/PREAMBLE.md".
std::string fenced(std::string_view whose, std::string_view words);
// A value as a prompt shows it: numbers and truths as they are, a short line of text in quotes, all else as a block.
std::string said(std::string_view whose, const Json& value);

}  // namespace teamster::workflow
