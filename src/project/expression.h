// Regular expressions of workflows, on texts of the project: a Pattern of base, with what a workflow
// may expect of it. Pure; patterns and texts are bounded.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace teamster::engine {

// What the first group matched where the pattern is first found in the text; without a group all that
// matched. nullopt when it is not found, also in texts over limits::kPatternTextMaxBytes.
Result<std::optional<std::string>> first_group(const std::string& pattern, std::string_view text);

// The same for a pattern that must match all of the text; an empty pattern matches any.
Result<bool> matches_whole(const std::string& pattern, std::string_view text);

}  // namespace teamster::engine
