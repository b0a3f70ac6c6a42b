#include "env/sim/sim_loop.h"

#include <string>

#include <gtest/gtest.h>

#include "env/sim/host_loop.h"

namespace teamster::env::sim {
namespace {

using namespace std::chrono_literals;

class SimLoopTest : public testing::Test {
 protected:
  bool run_dry() {
    return sim_.run_until([] { return false; });
  }
  SimClock clock_;
  SimLoop sim_{clock_, SimRandom(1)};
  HostId host_ = sim_.add_host();
  HostLoop loop_{sim_, host_};
  std::string order_;
};

TEST_F(SimLoopTest, TimeJumpsToTheNextTimer) {
  const Instant start = clock_.now();
  const Timer late = loop_.after(24h, [&] { order_ += "b"; });
  const Timer early = loop_.after(1h, [&] { order_ += "a"; });
  EXPECT_FALSE(run_dry());
  EXPECT_EQ(order_, "ab");
  EXPECT_EQ(clock_.now() - start, 24h);
}

TEST_F(SimLoopTest, CancelledTimerDoesNotMoveTime) {
  const Instant start = clock_.now();
  loop_.after(1h, [&] { order_ += "x"; }).reset();
  EXPECT_FALSE(run_dry());
  EXPECT_EQ(clock_.now(), start);
  EXPECT_EQ(order_, "");
}

TEST_F(SimLoopTest, PostRunsAfterAllReadyInput) {
  std::vector<Registration> inputs;
  for (int i = 0; i < 3; ++i)
    inputs.push_back(sim_.schedule(host_, SimLoop::Kind::input, 0ms, [&] {
      order_ += "i";
      loop_.post([&] { order_ += "p"; });
    }));
  loop_.post([&] { order_ += "p"; });
  EXPECT_FALSE(run_dry());
  EXPECT_EQ(order_, "iiipppp");
}

TEST_F(SimLoopTest, PostingForeverDoesNotStarveInput) {
  std::function<void()> again = [&] { loop_.post(again); };
  loop_.post(again);
  bool arrived = false;
  const auto input = sim_.schedule(host_, SimLoop::Kind::input, 0ms, [&] { arrived = true; });
  EXPECT_TRUE(sim_.run_until([&] { return arrived; }));
}

TEST_F(SimLoopTest, StepLimitEndsALivelock) {
  std::function<void()> again = [&] { loop_.post(again); };
  loop_.post(again);
  sim_.set_step_limit(1000);
  EXPECT_FALSE(run_dry());
  EXPECT_TRUE(sim_.is_out_of_steps());
}

TEST_F(SimLoopTest, KilledHostNeverRunsAgain) {
  const HostId other = sim_.add_host();
  HostLoop other_loop(sim_, other);
  loop_.post([&] { order_ += "x"; });
  Timer timer = loop_.after(1ms, [&] { order_ += "x"; });
  const Timer survivor = other_loop.after(2ms, [&] { order_ += "o"; });
  sim_.kill(host_);
  loop_.post([&] { order_ += "x"; });
  const Timer late = loop_.after(1ms, [&] { order_ += "x"; });
  EXPECT_FALSE(run_dry());
  EXPECT_EQ(order_, "o");
  EXPECT_FALSE(loop_.run_until([] { return true; }));
}

TEST_F(SimLoopTest, HostMayKillItselfInACallback) {
  loop_.post([&, witness = std::string("alive")] {
    sim_.kill(host_);
    EXPECT_EQ(witness, "alive");
  });
  loop_.post([&] { order_ += "x"; });
  EXPECT_FALSE(run_dry());
  EXPECT_EQ(order_, "");
}

TEST_F(SimLoopTest, StopEndsTheHostsOwnRun) {
  loop_.post([&] {
    loop_.stop();
    order_ += "a";
  });
  loop_.post([&] { order_ += "b"; });
  const Timer timer = loop_.after(1s, [&] { order_ += "c"; });
  loop_.run();
  EXPECT_EQ(order_, "ab");
  loop_.run();
  EXPECT_EQ(order_, "abc");
}

TEST_F(SimLoopTest, StopOfADrivenHostIsFinalAndTold) {
  sim_.on_stop(host_, [&] { order_ += "stopped"; });
  const Timer timer = loop_.after(1s, [&] { order_ += "x"; });
  loop_.stop();
  EXPECT_FALSE(run_dry());
  EXPECT_EQ(order_, "stopped");
  EXPECT_TRUE(sim_.has_stopped(host_));
}

std::string run_many(std::uint64_t seed) {
  SimClock clock;
  SimLoop sim(clock, SimRandom(seed));
  std::string order;
  std::vector<HostId> hosts;
  std::vector<Registration> events;
  for (int i = 0; i < 4; ++i) hosts.push_back(sim.add_host());
  for (int i = 0; i < 26; ++i)
    events.push_back(sim.schedule(hosts[i % 4], SimLoop::Kind::input, 1ms, [&order, i] { order += char('a' + i); }));
  sim.run_until([] { return false; });
  return order;
}

TEST(SimLoop, SameSeedSameOrderOtherSeedAnother) {
  EXPECT_EQ(run_many(3), run_many(3));
  EXPECT_NE(run_many(3), run_many(4));
  EXPECT_EQ(run_many(3).size(), 26U);
}

}  // namespace
}  // namespace teamster::env::sim
