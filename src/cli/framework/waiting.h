// How long a command lets the hub park its request. The hub refuses waits over its limit;
// this says so before anything is sent.
#pragma once

#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "cli/framework/arguments.h"

namespace teamster::cli {

// The flag's time; more than limits::kWaitMax is refused.
Result<Duration> waiting_time(const Arguments& arguments, std::string_view flag);

}  // namespace teamster::cli
