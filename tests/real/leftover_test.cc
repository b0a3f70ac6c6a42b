// Nothing that a member started outlives it, whoever is killed: its agent, the host, the keeper,
// or host and keeper at once.
#include <algorithm>
#include <csignal>

#include <gtest/gtest.h>

#include "base/text.h"
#include "real/real_team.h"

namespace teamster::real {
namespace {

// A builder in the middle of a turn: claude runs a command that never ends, and has left
// another one behind, in a session of its own, that does not care for SIGTERM.
class Leftovers : public testing::Test {
 protected:
  void SetUp() override {
    team_.start("builder", {"--allow", "Bash"});
    team_.tell("builder", "watch the files");
    ASSERT_TRUE(eventually([&] { return running("tail -f near") && running("tail -f far"); }, e2e::kPatience))
        << team_.leftovers();
    agent_ = team_.agent_of("builder");
    host_ = team_.host_of("builder");
    keeper_ = team_.keeper_of("builder");
    before_ = team_.processes();
    before_.push_back(keeper_);
    ASSERT_GE(before_.size(), 6U) << team_.leftovers();  // host, keeper, claude, its tools, two commands
  }

  bool running(const std::string& command) const { return !team_.processes(command).empty(); }
  static void kill_hard(pid_t pid) { ASSERT_EQ(::kill(pid, SIGKILL), 0); }
  // Stopped first, so that neither sees the other's end.
  void kill_both() {
    for (const int signal : {SIGSTOP, SIGKILL})
      for (const pid_t pid : {host_, keeper_}) ASSERT_EQ(::kill(pid, signal), 0);
    ASSERT_TRUE(e2e::has_ended(host_) && e2e::has_ended(keeper_));
  }

  // All that ran before, but for some, is gone.
  void expect_gone(const std::vector<pid_t>& but = {}) {
    for (const pid_t pid : before_) {
      if (std::find(but.begin(), but.end(), pid) != but.end()) continue;
      EXPECT_TRUE(e2e::has_ended(pid)) << pid << ": " << join(e2e::arguments_of(pid), " ");
    }
  }

  RealTeam team_{{"builder"},
                 {conversation_of("builder", {run("touch near far; (trap '' TERM; setsid -f tail -f far) </dev/null "
                                                  ">/dev/null 2>&1; tail -f near"),
                                              repeated(say("I am back"), 3)})}};
  pid_t agent_ = 0;
  pid_t host_ = 0;
  pid_t keeper_ = 0;
  std::vector<pid_t> before_;
};

TEST_F(Leftovers, AfterAStop) {
  const auto before = std::chrono::steady_clock::now();
  team_.stop("builder");
  EXPECT_LT(std::chrono::steady_clock::now() - before, 20s);
  expect_gone();
  EXPECT_TRUE(team_.nothing_is_left()) << team_.leftovers();
}

TEST_F(Leftovers, AfterAKillOfTheAgent) {
  kill_hard(agent_);
  expect_gone({host_, keeper_});
  // It is up again, and stops like any other.
  EXPECT_TRUE(team_.has_requests("builder", 2));
  team_.stop("builder");
  EXPECT_TRUE(team_.nothing_is_left()) << team_.leftovers();
  EXPECT_TRUE(e2e::has_ended(keeper_));
}

TEST_F(Leftovers, AfterAKillOfTheHost) {
  kill_hard(host_);
  expect_gone();
  EXPECT_TRUE(team_.nothing_is_left()) << team_.leftovers();
}

TEST_F(Leftovers, AfterAKillOfTheKeeper) {
  kill_hard(keeper_);
  expect_gone({host_});
  // The host has a new one, and the agent is resumed below it.
  ASSERT_TRUE(team_.has_requests("builder", 2));
  const pid_t keeper = team_.keeper_of("builder");
  EXPECT_NE(keeper, keeper_);
  EXPECT_EQ(team_.host_of("builder"), host_);
  team_.stop("builder");
  EXPECT_TRUE(team_.nothing_is_left()) << team_.leftovers();
  EXPECT_TRUE(e2e::has_ended(keeper));
}

// With both of them gone nobody is there to look; the kernel ends the agent, and the next start
// ends what the agent had started.
TEST_F(Leftovers, AfterAKillOfHostAndKeeper) {
  kill_both();
  EXPECT_TRUE(e2e::has_ended(agent_));
  team_.start("builder");
  expect_gone();
  EXPECT_TRUE(team_.has_requests("builder", 2));
  team_.stop("builder");
  EXPECT_TRUE(team_.nothing_is_left()) << team_.leftovers();
}

TEST_F(Leftovers, AfterAKillOfHostAndKeeperAndAStop) {
  kill_both();
  EXPECT_TRUE(e2e::has_ended(agent_));
  team_.stop("builder");
  expect_gone();
  EXPECT_TRUE(team_.nothing_is_left()) << team_.leftovers();
}

}  // namespace
}  // namespace teamster::real
