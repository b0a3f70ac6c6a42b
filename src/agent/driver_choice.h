// DriverChoice: a driver as a user or a workflow names it: "claude", or "command:PROGRAM ARGUMENTS" for the one that
// runs any program. A value; the program is looked for by whoever checks or starts it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/driver.h"
#include "base/result.h"

namespace teamster::agent {

struct DriverChoice {
  const Driver* driver = nullptr;
  std::vector<std::string> command = {};  // of the command driver: a program and its arguments

  // Code::invalid: there is no such driver, or it takes no program.
  static Result<DriverChoice> parse(std::string_view text);
};

}  // namespace teamster::agent
