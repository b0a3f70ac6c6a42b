// The keeper as a process of its own, seen from a host that is this test: children with
// pipes, the death of either side, and what children leave.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "e2e/fixture.h"
#include "env/real/world.h"
#include "keeper/kept_processes.h"
#include "keeper/process_tree.h"

namespace teamster::e2e {
namespace {

class KeptProcessesTest : public testing::Test {
 protected:
  struct Started {
    std::unique_ptr<env::Child> child;
    std::string output;
    std::string errors;
    bool output_ended = false;
    std::optional<env::ExitStatus> status;
  };
  static env::Spawn shell(const std::string& script) {
    return {"/bin/sh", {"sh", "-c", script}, {"PATH=/usr/bin:/bin"}, ""};
  }
  std::unique_ptr<Started> start(const std::string& script) {
    auto started = std::make_unique<Started>();
    auto child = processes().spawn(shell(script));
    EXPECT_TRUE(child) << child.error().text();
    started->child = *std::move(child);
    started->child->on_exit([s = started.get()](env::ExitStatus status) { s->status = status; });
    started->child->output().start({.on_bytes = [s = started.get()](std::string_view bytes) { s->output += bytes; },
                                    .on_end = [s = started.get()] { s->output_ended = true; },
                                    .on_drained = nullptr});
    started->child->errors().start({.on_bytes = [s = started.get()](std::string_view bytes) { s->errors += bytes; },
                                    .on_end = [] {},
                                    .on_drained = nullptr});
    return started;
  }
  bool until(const std::function<bool()>& condition) {
    bool late = false;
    const env::Timer limit = world_.loop().after(20s, [&] { late = true; });
    world_.loop().run_until([&] { return late || condition(); });
    return condition();
  }
  bool wait_line(const Started& started) {
    return until([&] { return started.output.find('\n') != std::string::npos; });
  }
  keeper::KeptProcesses& processes() {
    if (!kept_) kept_ = std::make_unique<keeper::KeptProcesses>(world_.loop(), world_.view().processes);
    return *kept_;
  }

  env::real::World world_;
  std::unique_ptr<keeper::KeptProcesses> kept_;
};

TEST_F(KeptProcessesTest, ThereIsNoKeeperBeforeTheFirstChildAndOneForAll) {
  EXPECT_EQ(processes().keeper_pid(), 0);
  const auto one = start("exec cat");
  const auto keeper = processes().keeper_pid();
  EXPECT_GT(keeper, 0);
  EXPECT_EQ(arguments_of(static_cast<pid_t>(keeper)).back(), "keeper");
  const auto two = start("exec cat");
  EXPECT_EQ(processes().keeper_pid(), keeper);
  EXPECT_NE(one->child->pid(), two->child->pid());
}

TEST_F(KeptProcessesTest, PipesGoThroughToTheHost) {
  const auto child = start("read line; echo got $line; echo oops >&2; exit 3");
  child->child->input().write("hello\n");
  ASSERT_TRUE(until([&] { return child->status && child->output_ended; }));
  EXPECT_EQ(child->output, "got hello\n");
  EXPECT_EQ(child->errors, "oops\n");
  EXPECT_FALSE(child->status->signaled);
  EXPECT_EQ(child->status->code, 3);
}

TEST_F(KeptProcessesTest, AMegabyteEachWay) {
  const auto child = start("exec cat");
  child->child->input().write(std::string(1024 * 1024, 'x'));
  child->child->input().finish_writing();
  ASSERT_TRUE(until([&] { return child->output_ended && child->status; }));
  EXPECT_EQ(child->output.size(), 1024U * 1024U);
}

TEST_F(KeptProcessesTest, AnExitBeforeAnybodyAskedIsTold) {
  auto child = processes().spawn(shell("exit 5"));
  ASSERT_TRUE(child);
  // News of it comes while the next one is started.
  ASSERT_TRUE(has_ended(static_cast<pid_t>((*child)->pid())));
  const auto other = start("exec cat");
  std::optional<env::ExitStatus> status;
  (*child)->on_exit([&](env::ExitStatus ended) { status = ended; });
  ASSERT_TRUE(until([&] { return status.has_value(); }));
  EXPECT_EQ(status->code, 5);
}

TEST_F(KeptProcessesTest, WhatCannotBeStartedIsNamed) {
  const auto missing = processes().spawn({"/nonexistent/agent", {"agent"}, {}, ""});
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().what.find("/nonexistent/agent"), std::string::npos) << missing.error().text();
  const auto nowhere = processes().spawn({"/bin/sh", {"sh"}, {}, "/nonexistent"});
  ASSERT_FALSE(nowhere);
  EXPECT_NE(nowhere.error().what.find("/nonexistent"), std::string::npos) << nowhere.error().text();
  env::Spawn large = shell("true");
  large.environment.push_back("LARGE=" + std::string(300'000, 'x'));
  const auto refused = processes().spawn(large);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::invalid);
  EXPECT_TRUE(wait_line(*start("echo the keeper still works"))) << "none of this harmed it";
}

TEST_F(KeptProcessesTest, SignalsReachTheGroup) {
  const auto child = start("sleep 1000 & echo $!; wait");
  ASSERT_TRUE(wait_line(*child));
  child->child->signal_group(SIGTERM);
  ASSERT_TRUE(until([&] { return child->status.has_value(); }));
  EXPECT_TRUE(child->status->signaled);
  EXPECT_EQ(child->status->code, SIGTERM);
  EXPECT_TRUE(has_ended(std::stoi(child->output)));
}

TEST_F(KeptProcessesTest, DroppingAChildEndsItAndWhatItStarted) {
  auto child = start("trap '' TERM; setsid sleep 1000 & echo $!; while :; do sleep 1000; done");
  ASSERT_TRUE(wait_line(*child));
  const auto pid = static_cast<pid_t>(child->child->pid());
  const pid_t left = std::stoi(child->output);
  child.reset();
  EXPECT_TRUE(has_ended(pid));
  EXPECT_TRUE(has_ended(left));
}

TEST_F(KeptProcessesTest, TheEndOfTheHostsSideEndsEverythingAndWaitsForIt) {
  const auto child = start("setsid sleep 1000 & echo $!; env -i setsid sleep 1000 & echo $!; exec sleep 1000");
  ASSERT_TRUE(until([&] { return std::count(child->output.begin(), child->output.end(), '\n') == 2; }));
  const auto keeper = static_cast<pid_t>(processes().keeper_pid());
  const auto pid = static_cast<pid_t>(child->child->pid());
  const pid_t marked = std::stoi(child->output);
  const pid_t hidden = std::stoi(child->output.substr(child->output.find('\n') + 1));
  kept_.reset();
  for (const pid_t each : {keeper, pid, marked, hidden}) EXPECT_TRUE(has_ended(each, 0ms)) << each;
}

TEST_F(KeptProcessesTest, AKeeperThatIsKilledTakesItsChildrenAndTheNextOneIsStarted) {
  const auto one = start("setsid sleep 1000 & echo $!; exec sleep 1000");
  const auto two = start("echo up; exec cat");
  ASSERT_TRUE(wait_line(*one) && wait_line(*two));
  const pid_t left = std::stoi(one->output);
  const auto keeper = processes().keeper_pid();
  ::kill(static_cast<pid_t>(keeper), SIGKILL);
  ASSERT_TRUE(until([&] { return one->status && two->status; })) << "everybody is told";
  EXPECT_TRUE(one->status->signaled);
  EXPECT_TRUE(has_ended(left)) << "what hid from the keeper's death is found by its mark";
  EXPECT_EQ(processes().keeper_pid(), 0);
  const auto three = start("echo again");
  ASSERT_TRUE(wait_line(*three));
  EXPECT_NE(processes().keeper_pid(), keeper);
  // Children of the dead keeper do nothing any more.
  one->child->signal_group(SIGKILL);
  ASSERT_TRUE(until([&] { return three->status.has_value(); }));
  EXPECT_FALSE(three->status->signaled);
}

TEST_F(KeptProcessesTest, AKeeperThatDiesBeforeAStartIsNoticedAndTheNextStartWorks) {
  const auto one = start("exec cat");
  ::kill(static_cast<pid_t>(processes().keeper_pid()), SIGKILL);
  ASSERT_TRUE(has_ended(static_cast<pid_t>(processes().keeper_pid())));
  auto failed = processes().spawn(shell("true"));  // the loop has not run: nobody knows yet
  if (!failed) {
    EXPECT_EQ(failed.error().code, Code::unavailable) << failed.error().text();
    ASSERT_TRUE(until([&] { return one->status.has_value(); }));
  }
  EXPECT_TRUE(wait_line(*start("echo again")));
}

TEST_F(KeptProcessesTest, AThousandChildrenLeaveNothing) {
  const auto open_before = std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  constexpr int kAtOnce = 100;
  for (int round = 0; round < 10; ++round) {
    std::vector<std::unique_ptr<Started>> children;
    for (int i = 0; i < kAtOnce; ++i) children.push_back(start("exit 7"));
    ASSERT_TRUE(until([&] {
      return std::all_of(children.begin(), children.end(), [](const auto& each) { return each->status.has_value(); });
    }));
    for (const auto& each : children) EXPECT_EQ(each->status->code, 7);
  }
  const auto keeper = static_cast<pid_t>(processes().keeper_pid());
  EXPECT_TRUE(eventually([&] { return keeper::children_of(keeper).empty(); })) << "not even zombies";
  kept_.reset();
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}), open_before);
}

// As `agent start` does it when host and keeper have died together.
TEST_F(KeptProcessesTest, LeftoversOfADeadKeeperAreEndedAndOthersAreNot) {
  const auto living = start("setsid sleep 1000 & echo $!; exec cat");
  ASSERT_TRUE(wait_line(*living));
  const pid_t kept = std::stoi(living->output);
  pid_t left = 0;
  {
    // A keeper whose host is a fork of us, and both die at the same moment.
    int ends[2] = {-1, -1};
    ASSERT_EQ(::pipe(ends), 0);
    Process host(std::function<int()>([&] {
      env::real::World world;
      keeper::KeptProcesses own(world.loop(), world.view().processes);
      auto child = own.spawn(shell("setsid sleep 1000 & echo $!; exec sleep 1000"));
      std::string text;
      (*child)->output().start(
          {.on_bytes = [&](std::string_view bytes) { text += bytes; }, .on_end = [] {}, .on_drained = nullptr});
      world.loop().run_until([&] { return text.find('\n') != std::string::npos; });
      const pid_t pids[2] = {static_cast<pid_t>(own.keeper_pid()), std::stoi(text)};
      (void)!::write(ends[1], pids, sizeof(pids));
      ::pause();
      return 0;
    }));
    pid_t pids[2] = {0, 0};
    ASSERT_EQ(::read(ends[0], pids, sizeof(pids)), static_cast<ssize_t>(sizeof(pids)));
    ::close(ends[0]);
    ::close(ends[1]);
    left = pids[1];
    for (const int signal : {SIGSTOP, SIGKILL})
      for (const pid_t pid : {host.pid(), pids[0]}) ::kill(pid, signal);
    ASSERT_TRUE(has_ended(pids[0]));
  }
  keeper::end_leftovers(world_.view().processes);
  EXPECT_TRUE(has_ended(left));
  EXPECT_FALSE(has_ended(kept, 0ms)) << "its keeper lives";
}

}  // namespace
}  // namespace teamster::e2e
