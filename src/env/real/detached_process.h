// Starts a program that outlives this one: own session and process group, standard
// streams on /dev/null, nothing inherited, not our child.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "env/processes.h"

namespace teamster::env::real {

// Its pid, once exec has succeeded; otherwise why it did not.
Result<std::int64_t> start_detached(const Spawn& spawn);

}  // namespace teamster::env::real
