#include "env/real/clock.h"

#include <chrono>

namespace teamster::env::real {

Instant Clock::now() const {
  return Instant(std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch()));
}

WallTime Clock::wall_now() const {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return WallTime{std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count()};
}

}  // namespace teamster::env::real
