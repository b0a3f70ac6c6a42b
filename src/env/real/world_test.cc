#include "env/real/world.h"

#include <csignal>

#include <gtest/gtest.h>

namespace teamster::env::real {
namespace {

TEST(World, GivesAWorkingView) {
  World world;
  const env::World view = world.view();
  bool ran = false;
  view.loop.post([&] { ran = true; });
  EXPECT_TRUE(view.loop.run_until([&] { return ran; }));
  EXPECT_TRUE(view.processes.is_alive(view.processes.self()));
  EXPECT_NE(view.random.next(), view.random.next());
}

TEST(World, IgnoresSigpipe) {
  const World world;
  struct sigaction now {};
  ::sigaction(SIGPIPE, nullptr, &now);
  EXPECT_EQ(now.sa_handler, SIG_IGN);
}

}  // namespace
}  // namespace teamster::env::real
