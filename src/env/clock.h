// Clock: what time it is. Real time, or the simulator's. Everything below the command
// line asks this and no other clock, so that time can be simulated.
#pragma once

#include "base/time.h"

namespace teamster::env {

class Clock {
 public:
  virtual ~Clock() = default;
  // Never goes back.
  virtual Instant now() const = 0;
  // May jump when somebody sets the machine's clock.
  virtual WallTime wall_now() const = 0;
};

}  // namespace teamster::env
