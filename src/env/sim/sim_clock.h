// SimClock: time that moves only when the simulator says so. Starts at a fixed date, so
// that logs of the same seed are the same. Owned by sim::World, moved by SimLoop.
#pragma once

#include "base/check.h"
#include "env/clock.h"

namespace teamster::env::sim {

// 2026-01-01T00:00:00Z
inline constexpr WallTime kSimulationStart{1'767'225'600'000};

class SimClock : public env::Clock {
 public:
  Instant now() const override { return now_; }
  WallTime wall_now() const override { return kSimulationStart + (now_.time_since_epoch() + wall_shift_); }

  void advance_to(Instant instant) {
    CHECK(instant >= now_);
    now_ = instant;
  }
  // Somebody sets the machine's clock, forward or back.
  void shift_wall(Duration by) { wall_shift_ += by; }

 private:
  // Not zero: a monotonic clock of zero is a value programs like to treat as "never".
  Instant now_{std::chrono::seconds(1000)};
  Duration wall_shift_ = -std::chrono::seconds(1000);
};

}  // namespace teamster::env::sim
