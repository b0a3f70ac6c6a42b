// The flags of `agent start` and what they mean to a host. Checked here, so that a mistake
// is told before anything is started.
#pragma once

#include <vector>

#include "agent/hosted_member.h"
#include "cli/framework/arguments.h"
#include "cli/framework/context.h"

namespace teamster::cli {

std::vector<Flag> agent_flags();

// The options of one member.
Result<agent::MemberOptions> agent_options(const Context& context, const Arguments& arguments,
                                           const std::string& member);

// A JSON Schema from a file, checked.
Result<Json> read_schema(const Context& context, const std::string& path);

}  // namespace teamster::cli
