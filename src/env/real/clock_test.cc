#include "env/real/clock.h"

#include <gtest/gtest.h>

namespace teamster::env::real {
namespace {

TEST(Clock, NeverGoesBack) {
  const Clock clock;
  Instant before = clock.now();
  for (int i = 0; i < 1000; ++i) {
    const Instant after = clock.now();
    EXPECT_LE(before, after);
    before = after;
  }
}

TEST(Clock, WallTimeIsAfterThisWasWritten) { EXPECT_GT(Clock().wall_now().unix_ms, 1'735'000'000'000); }

}  // namespace
}  // namespace teamster::env::real
