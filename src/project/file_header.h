// The header of a file that an agent has written: YAML between two lines `---` at its beginning. What is wrong with it
// is said in words that the agent can act on. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace teamster::engine {

// Code::invalid unless the header fits the schema, and what it says under a name that the answer has as well, both
// plain values, is the same.
Result<void> check_file_header(const std::string& text, std::string_view schema, const Json& answer);

}  // namespace teamster::engine
