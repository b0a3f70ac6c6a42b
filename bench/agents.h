// Agents: how long from sending a message to an idle scripted member until its agent has
// begun a turn with it, beside the hub's own wake-up; and what it costs to start children
// through the keeper, beside a bare posix_spawn loop.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace teamster::bench {

class TeamsterSubject;

// Microseconds, one per message. `scratch` is an existing directory.
Result<std::vector<double>> measure_turn_starts(TeamsterSubject& subject, const std::string& scratch,
                                                std::uint64_t messages);

// Milliseconds until the last of `count` children has been started and has ended.
Result<double> measure_kept_spawns(int count);
Result<double> measure_bare_spawns(int count);

// Both start their own program again for a keeper or an agent; in the benchmark that is this
// program, so its main calls this first. Does not return when it was started for that.
void become_teamster_if_asked(int argc, char** argv, const char* binary);

}  // namespace teamster::bench
