#include "script/rehearsal_place.h"

#include <gtest/gtest.h>

#include "env/sim/sim_world.h"

namespace teamster::script {
namespace {

using namespace std::chrono_literals;

class RehearsalPlaceTest : public testing::Test {
 protected:
  RehearsalPlaceTest() { EXPECT_TRUE(files_.make_private_directory(place_)); }
  void write(const std::string& path, const std::string& text) { EXPECT_TRUE(files_.replace(path, text, 0600)); }

  env::sim::World world_{1};
  env::sim::Host& agent_ = world_.start("agent");
  env::World view_ = agent_.view();
  env::Files& files_ = view_.files;
  const std::string place_ = rehearsal_directory("/home");
};

TEST_F(RehearsalPlaceTest, AHomeWithAClockIsOne) {
  EXPECT_FALSE(is_rehearsal(files_, place_));
  write(clock_of_rehearsal(place_), "");
  EXPECT_TRUE(is_rehearsal(files_, place_));
  EXPECT_FALSE(is_rehearsal(files_, "/nowhere"));
}

TEST_F(RehearsalPlaceTest, OnlyANumberIsASeed) {
  EXPECT_FALSE(read_seed(files_, place_));
  for (const char* text : {"", "x", "7x", "-1", "1 2", "99999999999999999999999"}) {
    write(seed_of_rehearsal(place_), text);
    EXPECT_FALSE(read_seed(files_, place_)) << text;
  }
  write(seed_of_rehearsal(place_), "42\n");
  EXPECT_EQ(read_seed(files_, place_), 42U);
}

TEST_F(RehearsalPlaceTest, WhoPausesSaysSoUntilItIsOver) {
  bool is_over = false;
  env::Timer pause = pause_in_rehearsal(view_, place_, 1h, [&] { is_over = true; });
  const auto asleep = look_whether_asleep(files_, place_, agent_.pid());
  ASSERT_TRUE(asleep);
  EXPECT_EQ(asleep->until, world_.clock().wall_now() + 1h);
  world_.run_for(1s);
  EXPECT_FALSE(is_over);
  world_.clock().shift_wall(1h);
  ASSERT_TRUE(world_.run_until([&] { return is_over; }));
  pause.reset();
  EXPECT_FALSE(look_whether_asleep(files_, place_, agent_.pid()));
}

TEST_F(RehearsalPlaceTest, APauseThatIsGivenUpLeavesNothing) {
  bool is_over = false;
  env::Timer pause = pause_in_rehearsal(view_, place_, Duration::max(), [&] { is_over = true; });
  const auto asleep = look_whether_asleep(files_, place_, agent_.pid());
  ASSERT_TRUE(asleep);
  EXPECT_FALSE(asleep->until) << "for ever";
  pause.reset();
  EXPECT_FALSE(look_whether_asleep(files_, place_, agent_.pid()));
  world_.clock().shift_wall(24h * 365 * 100);
  world_.run_for(1s);
  EXPECT_FALSE(is_over);
}

}  // namespace
}  // namespace teamster::script
