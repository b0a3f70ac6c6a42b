// The machine's clocks: CLOCK_MONOTONIC for Instant, the system clock for WallTime.
// Stateless; may be called from any thread.
#pragma once

#include "env/clock.h"

namespace teamster::env::real {

class Clock : public env::Clock {
 public:
  Instant now() const override;
  WallTime wall_now() const override;
};

}  // namespace teamster::env::real
