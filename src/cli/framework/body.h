// The body of a message as given on the command line: the text itself, or - for standard
// input. Checked before it is sent: UTF-8, and at most limits::kBodyMaxBytes.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/framework/context.h"

namespace teamster::cli {

Result<std::string> read_body(const Context& context, const std::string& argument);

}  // namespace teamster::cli
