// Command start: how long a whole command takes, from the start of the program to its
// exit, while a hub runs. Beside it the smallest program there is.
#pragma once

#include <vector>

#include "base/result.h"

namespace teamster::bench {

class TeamsterSubject;

struct CommandTimes {
  std::vector<double> teamster_ms;
  std::vector<double> smallest_ms;
};

// The two alternate.
Result<CommandTimes> measure_command_start(TeamsterSubject& subject, int times);

}  // namespace teamster::bench
