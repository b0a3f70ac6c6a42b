#include "env/sim/sim_children.h"

#include <csignal>

#include <gtest/gtest.h>

#include "base/limits.h"
#include "env/sim/sim_world.h"

namespace teamster::env::sim {
namespace {

using namespace std::chrono_literals;

constexpr const char* kEcho = "/bin/echo-lines";

// Says back what it hears, and ends with its input; what else it does the test adds.
struct EchoProgram {
  explicit EchoProgram(Host& of) : host(of), streams(of.standard_streams()) {
    streams->start({.on_bytes = [this](std::string_view bytes) { streams->write(bytes); },
                    .on_end = [this] { host.exit(3); },
                    .on_drained = nullptr});
  }
  Host& host;
  std::unique_ptr<Stream> streams;
  std::vector<Registration> signals;
};

class SimChildrenTest : public testing::Test {
 protected:
  SimChildrenTest() {
    world_.on_spawn(kEcho, [this](Host& host, const Spawn&) {
      programs_.push_back(std::make_unique<EchoProgram>(host));
      if (on_start_) on_start_(*programs_.back());
    });
  }
  std::unique_ptr<Child> spawn(const env::World& view, const std::string& directory = "") {
    auto child = view.processes.spawn({kEcho, {kEcho}, {"NAME=value"}, directory});
    EXPECT_TRUE(child) << child.error().text();
    child.value()->on_exit([this](ExitStatus status) { status_ = status; });
    child.value()->output().start({.on_bytes = [this](std::string_view bytes) { said_ += bytes; },
                                   .on_end = [this] { has_ended_ = true; },
                                   .on_drained = nullptr});
    child.value()->errors().start(
        {.on_bytes = [this](std::string_view bytes) { errors_ += bytes; }, .on_end = {}, .on_drained = nullptr});
    return *std::move(child);
  }
  bool run_until(const std::function<bool()>& done) { return world_.run_until(done); }

  sim::World world_{1};
  std::vector<std::unique_ptr<EchoProgram>> programs_;
  std::function<void(EchoProgram&)> on_start_;
  Host& parent_ = world_.start("parent");
  std::string said_;
  std::string errors_;
  bool has_ended_ = false;
  std::optional<ExitStatus> status_;
};

TEST_F(SimChildrenTest, ItHearsSaysAndEnds) {
  const auto child = spawn(parent_.view(), "/home");
  child->input().write("hello");
  ASSERT_TRUE(run_until([&] { return said_ == "hello"; }));
  EXPECT_EQ(child->pid(), programs_[0]->host.pid());
  EXPECT_EQ(programs_[0]->host.directory(), "/home");
  EXPECT_EQ(programs_[0]->host.view().processes.variable("NAME"), "value");
  programs_[0]->host.complain("oh");
  ASSERT_TRUE(run_until([&] { return errors_ == "oh"; }));
  child->input().finish_writing();
  ASSERT_TRUE(run_until([&] { return status_ && has_ended_; }));
  EXPECT_FALSE(status_->signaled);
  EXPECT_EQ(status_->code, 3);
  EXPECT_FALSE(programs_[0]->host.is_alive());
}

TEST_F(SimChildrenTest, WhatItWroteBeforeItDiedArrives) {
  const auto child = spawn(parent_.view());
  ASSERT_TRUE(run_until([&] { return !programs_.empty(); }));
  programs_[0]->streams->write("last words");
  programs_[0]->host.die_by_signal(SIGSEGV);
  ASSERT_TRUE(run_until([&] { return status_ && has_ended_; }));
  EXPECT_EQ(said_, "last words");
  EXPECT_TRUE(status_->signaled);
  EXPECT_EQ(status_->code, SIGSEGV);
}

TEST_F(SimChildrenTest, WhatDidNotFitIntoThePipeDiesWithIt) {
  const auto child = spawn(parent_.view());
  child->output().pause_reading(true);
  ASSERT_TRUE(run_until([&] { return !programs_.empty(); }));
  programs_[0]->streams->write(std::string(100'000, 'x'));
  world_.kill(programs_[0]->host);
  child->output().pause_reading(false);
  ASSERT_TRUE(run_until([&] { return status_ && has_ended_; }));
  EXPECT_EQ(said_.size(), 64U * 1024);
  EXPECT_EQ(status_->code, SIGKILL);
}

TEST_F(SimChildrenTest, ASignalThatIsWatchedIsHeardAndOthersEndIt) {
  int heard = 0;
  on_start_ = [&](EchoProgram& program) {
    program.signals.push_back(program.host.watch_signal(SIGTERM, [&] { ++heard; }));
  };
  const auto child = spawn(parent_.view());
  ASSERT_TRUE(run_until([&] { return !programs_.empty(); }));
  child->signal_group(SIGTERM);
  ASSERT_TRUE(run_until([&] { return heard == 1; }));
  world_.run_for(1s);
  EXPECT_FALSE(status_);
  child->signal_group(SIGKILL);
  ASSERT_TRUE(run_until([&] { return status_.has_value(); }));
  EXPECT_EQ(status_->code, SIGKILL);
}

TEST_F(SimChildrenTest, DroppingTheChildKillsIt) {
  auto child = spawn(parent_.view());
  ASSERT_TRUE(run_until([&] { return !programs_.empty(); }));
  child.reset();
  EXPECT_FALSE(programs_[0]->host.is_alive());
  world_.run_for(1s);
  EXPECT_FALSE(status_);
}

TEST_F(SimChildrenTest, WhoIsDeafOutlivesItsParentByTheGraceOfTheKeeper) {
  on_start_ = [](EchoProgram& program) {
    program.signals.push_back(program.host.watch_signal(SIGTERM, [] {}));
    program.streams = nullptr;  // also to the end of its input
  };
  const auto child = spawn(parent_.view());
  ASSERT_TRUE(run_until([&] { return !programs_.empty(); }));
  world_.kill(parent_);
  world_.run_for(limits::kKeeperGrace - 100ms);
  EXPECT_TRUE(programs_[0]->host.is_alive());
  world_.run_for(200ms);
  EXPECT_FALSE(programs_[0]->host.is_alive());
}

TEST_F(SimChildrenTest, AllChildrenOfAHostCanBeKilledAtOnce) {
  const auto one = spawn(parent_.view());
  const auto two = spawn(parent_.view());
  ASSERT_TRUE(run_until([&] { return programs_.size() == 2; }));
  world_.kill_children(parent_);
  EXPECT_FALSE(programs_[0]->host.is_alive());
  EXPECT_FALSE(programs_[1]->host.is_alive());
  ASSERT_TRUE(run_until([&] { return status_.has_value(); }));
  EXPECT_EQ(status_->code, SIGKILL);
}

TEST_F(SimChildrenTest, AProgramWithManyCommandsIsFoundByItsFirstArgument) {
  std::string ran;
  world_.on_spawn("/bin/many", [&](Host&, const Spawn&) { ran = "any"; });
  world_.on_spawn("/bin/many one", [&](Host&, const Spawn&) { ran = "one"; });
  const auto one = *parent_.view().processes.spawn({"/bin/many", {"many", "one"}, {}, ""});
  ASSERT_TRUE(run_until([&] { return ran == "one"; }));
  const auto other = *parent_.view().processes.spawn({"/bin/many", {"many", "other"}, {}, ""});
  ASSERT_TRUE(run_until([&] { return ran == "any"; }));
}

}  // namespace
}  // namespace teamster::env::sim
