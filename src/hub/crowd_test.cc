#include "hub/crowd.h"

#include <gtest/gtest.h>

namespace teamster::hub {
namespace {

using namespace std::chrono_literals;

const Instant kNow(1s);

TEST(Crowd, WaitsForThoseThatWereAnsweredTogether) {
  Crowd crowd;
  EXPECT_FALSE(crowd.wait_until(1, kNow));
  crowd.answered({1, 2, 3, 4, 5}, kNow, 200us);
  EXPECT_EQ(crowd.wait_until(1, kNow + 50us), kNow + 600us);
  EXPECT_FALSE(crowd.wait_until(5, kNow + 50us));
  EXPECT_FALSE(crowd.wait_until(4, kNow + 600us)) << "not longer than three syncs";
}

TEST(Crowd, TwoHalvesBecomeOne) {
  Crowd crowd;
  crowd.answered({1, 3}, kNow, 200us);
  crowd.answered({2, 4}, kNow, 200us);
  EXPECT_TRUE(crowd.wait_until(2, kNow));
  EXPECT_FALSE(crowd.wait_until(4, kNow));
  crowd.answered({1, 2, 3, 4}, kNow, 200us);
  EXPECT_TRUE(crowd.wait_until(3, kNow));
}

TEST(Crowd, FewNeverWait) {
  Crowd crowd;
  crowd.answered({1}, kNow, 200us);
  crowd.answered({2, 3}, kNow, 200us);
  EXPECT_FALSE(crowd.wait_until(1, kNow));
}

TEST(Crowd, ASlowDiskDoesNotMakeThemWaitLong) {
  Crowd crowd;
  crowd.answered({1, 2, 3, 4}, kNow, 50ms);
  EXPECT_EQ(crowd.wait_until(1, kNow), kNow + 1ms);
}

TEST(Crowd, ForgetsThoseThatStayAway) {
  Crowd crowd;
  crowd.answered({1, 2, 3, 4, 5, 6}, kNow, 200us);
  crowd.answered({1}, kNow, 200us);
  crowd.answered({1}, kNow, 200us);
  EXPECT_FALSE(crowd.wait_until(1, kNow));
}

}  // namespace
}  // namespace teamster::hub
