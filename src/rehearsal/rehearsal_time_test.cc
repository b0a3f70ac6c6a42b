#include "rehearsal/rehearsal_time.h"

#include <gtest/gtest.h>

#include "env/clock.h"
#include "env/files.h"
#include "env/sim/sim_world.h"
#include "script/rehearsal_place.h"

namespace teamster::cli {
namespace {

using namespace std::chrono_literals;

class RehearsalTimeTest : public testing::Test {
 protected:
  RehearsalTimeTest() {
    EXPECT_TRUE(host_.view().files.make_private_directory("/home/rehearsal"));
    time_ = std::make_unique<RehearsalTime>(host_.view(),
                                            RehearsalTimeOptions{.directory = "/home/rehearsal",
                                                                 .put_clock_ahead =
                                                                     [this](Duration span) {
                                                                       ahead_ += span;
                                                                       world_.clock().shift_wall(span);
                                                                     },
                                                                 .agents_at_work = [this] { return at_work_; },
                                                                 .on_stuck = [this] { is_stuck_ = true; }});
  }
  // An agent that says that it does nothing for as long.
  void sleeps(env::sim::Host& agent, Duration span) {
    pauses_.push_back(script::pause_in_rehearsal(agent.view(), "/home/rehearsal", span, [this] { is_awake_ = true; }));
  }

  env::sim::World world_{1};
  env::sim::Host& host_ = world_.start("engine");
  std::optional<std::vector<std::int64_t>> at_work_;
  std::vector<env::Timer> pauses_;
  std::unique_ptr<RehearsalTime> time_;
  Duration ahead_{};
  bool is_stuck_ = false;
  bool is_awake_ = false;
};

TEST_F(RehearsalTimeTest, TimePassesAsEverWhileSomethingIsUnderWay) {
  bool is_due = false;
  const env::Timer timer = time_->world().loop.after(1h, [&] { is_due = true; });
  world_.run_for(10s);
  EXPECT_FALSE(is_due);
  EXPECT_EQ(ahead_, 0s);
  at_work_ = {{host_.pid()}};
  world_.run_for(10s);
  EXPECT_FALSE(is_due) << "that agent is awake";
  at_work_ = {{0}};
  world_.run_for(10s);
  EXPECT_FALSE(is_due) << "and that one is being started";
}

TEST_F(RehearsalTimeTest, ItJumpsToTheNextThatIsDueWhenAllWait) {
  const Instant start = world_.clock().now();
  std::string order;
  const env::Timer day = time_->world().loop.after(24h, [&] { order += "d"; });
  const env::Timer hour = time_->world().loop.after(1h, [&] { order += "h"; });
  at_work_.emplace();
  ASSERT_TRUE(world_.run_until([&] { return order == "hd"; }));
  EXPECT_LT(world_.clock().now() - start, 1s);
  EXPECT_GE(ahead_, 24h - 1s);
  EXPECT_LE(ahead_, 24h + 1s);
  EXPECT_FALSE(is_stuck_);
  ASSERT_TRUE(world_.run_until([&] { return is_stuck_; })) << "then no time will change anything";
}

TEST_F(RehearsalTimeTest, AnAgentThatSleepsIsWaitedForAndOneThatIsMuteIsNot) {
  auto& sleeper = world_.start("sleeper");
  auto& mute = world_.start("mute");
  sleeps(sleeper, 10min);
  sleeps(mute, Duration::max());
  bool is_silent_too_long = false;
  const env::Timer silence = time_->world().loop.after(15min, [&] { is_silent_too_long = true; });
  at_work_ = {{sleeper.pid(), mute.pid()}};
  ASSERT_TRUE(world_.run_until([&] { return is_awake_; }));
  EXPECT_FALSE(is_silent_too_long);
  EXPECT_GE(ahead_, 10min - 1s);
  EXPECT_LE(ahead_, 10min + 1s);
  pauses_.front().reset();
  at_work_ = {{mute.pid()}};
  ASSERT_TRUE(world_.run_until([&] { return is_silent_too_long; }));
  EXPECT_LE(ahead_, 15min + 1s);
}

}  // namespace
}  // namespace teamster::cli
