#include "env/sim/sim_clock.h"

#include <gtest/gtest.h>

namespace teamster::env::sim {
namespace {

using namespace std::chrono_literals;

TEST(SimClock, WallTimeMovesWithVirtualTime) {
  SimClock clock;
  EXPECT_EQ(to_iso8601(clock.wall_now()), "2026-01-01T00:00:00.000Z");
  clock.advance_to(clock.now() + 1500ms);
  EXPECT_EQ(to_iso8601(clock.wall_now()), "2026-01-01T00:00:01.500Z");
  const Instant before = clock.now();
  clock.shift_wall(-1h);
  EXPECT_EQ(clock.now(), before);
  EXPECT_EQ(to_iso8601(clock.wall_now()), "2025-12-31T23:00:01.500Z");
}

}  // namespace
}  // namespace teamster::env::sim
