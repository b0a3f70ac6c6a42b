// Wake-up: how long it takes from before one process sends to after another, which waits,
// has it. One-way, by the clock that both share. Beside it a bare server that does the
// least: receive, sync, push.
#pragma once

#include <string>

#include "base/result.h"
#include "bench/workers.h"

namespace teamster::bench {

class TeamsterSubject;

// Microseconds, one per message.
Result<std::vector<double>> measure_wakeup(TeamsterSubject& subject, std::uint64_t messages);
Result<std::vector<double>> measure_probe(const std::string& socket_path, std::uint64_t messages);

}  // namespace teamster::bench
