#include "rehearsal/jumping_loop.h"

#include <string>

#include <gtest/gtest.h>

#include "env/sim/host_loop.h"
#include "env/sim/sim_loop.h"

namespace teamster::cli {
namespace {

using namespace std::chrono_literals;

class JumpingLoopTest : public testing::Test {
 protected:
  void pass(Duration span) {
    bool is_over = false;
    const env::Timer timer = below_.after(span, [&] { is_over = true; });
    below_.run_until([&] { return is_over; });
  }

  env::sim::SimClock clock_;
  env::sim::SimLoop sim_{clock_, env::sim::SimRandom(1)};
  env::sim::HostLoop below_{sim_, sim_.add_host()};
  JumpingLoop loop_{below_, clock_};
  std::string order_;
};

TEST_F(JumpingLoopTest, TimersAreDueInTheirTimeWhileNobodyJumps) {
  const env::Timer late = loop_.after(2s, [&] { order_ += "b"; });
  const env::Timer early = loop_.after(1s, [&] { order_ += "a"; });
  pass(1500ms);
  EXPECT_EQ(order_, "a");
  pass(1s);
  EXPECT_EQ(order_, "ab");
  EXPECT_FALSE(loop_.until_next());
}

TEST_F(JumpingLoopTest, AJumpBringsThemAllNearer) {
  const Instant start = clock_.now();
  const env::Timer day = loop_.after(24h, [&] { order_ += "d"; });
  env::Timer more;
  const env::Timer hour = loop_.after(1h, [&] {
    order_ += "h";
    more = loop_.after(1h, [&] { order_ += "m"; });
  });
  loop_.jump(*loop_.until_next());
  pass(1ms);
  EXPECT_EQ(order_, "h");
  EXPECT_LE(*loop_.until_next(), 1h);
  loop_.jump(23h);
  pass(1ms);
  EXPECT_EQ(order_, "hmd");
  EXPECT_LT(clock_.now() - start, 1s);
  EXPECT_GT(loop_.clock().now() - start, 24h);
}

TEST_F(JumpingLoopTest, OneThatWasTakenBackIsNotWaitedFor) {
  loop_.after(1h, [&] { order_ += "x"; }).reset();
  EXPECT_FALSE(loop_.until_next());
  const env::Timer timer = loop_.after(2h, [&] { order_ += "a"; });
  EXPECT_EQ(loop_.until_next(), 2h);
  loop_.jump(2h);
  pass(1ms);
  EXPECT_EQ(order_, "a");
}

TEST_F(JumpingLoopTest, AHugeDelayIsNotInThePast) {
  const env::Timer timer = loop_.after(Duration::max(), [&] { order_ += "x"; });
  pass(1s);
  EXPECT_EQ(order_, "");
}

}  // namespace
}  // namespace teamster::cli
