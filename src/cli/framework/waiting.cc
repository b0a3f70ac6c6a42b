#include "cli/framework/waiting.h"

#include <fmt/format.h>

#include "base/limits.h"

namespace teamster::cli {

Result<Duration> waiting_time(const Arguments& arguments, std::string_view flag) {
  const Duration time = arguments.duration(flag);
  if (time <= limits::kWaitMax) return time;
  return fail(
      Code::invalid,
      fmt::format("--{} {} is over the limit of {}", flag, arguments.value(flag), describe_duration(limits::kWaitMax)),
      "Wait in a loop");
}

}  // namespace teamster::cli
