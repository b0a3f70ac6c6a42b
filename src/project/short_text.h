// Short texts of a workflow with sources in braces: "progress/spec-{{args/spec}}", and with a
// width for numbers: "{{sequence:03}}". Pure. A source that is not there is an error.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace teamster::engine {

// The words of a source, such as "args/spec".
using SourceLookup = std::function<std::optional<std::string>(std::string_view source)>;

Result<std::string> render_short_text(std::string_view text, const SourceLookup& lookup);

}  // namespace teamster::engine
