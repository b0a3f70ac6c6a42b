#include "project/program.h"

#include <csignal>

#include <gtest/gtest.h>

#include "agent/fake_program_for_test.h"
#include "env/sim/sim_world.h"
#include "project/project_for_test.h"

namespace teamster::engine {
namespace {

using namespace std::chrono_literals;
using How = ProgramOutcome::How;

class ProgramTest : public ProjectTest {
 protected:
  ProgramOutcome run(ProgramOptions options) {
    std::unique_ptr<Program> program;
    return wait<ProgramOutcome>([&](std::function<void(ProgramOutcome)> done) {
      auto started = Program::start(view_, options, done);
      ASSERT_TRUE(started) << started.error().text();
      program = *std::move(started);
    });
  }
  ProgramOutcome run(const std::string& command) { return run(shell_command(view_, command, path())); }
};

TEST_F(ProgramTest, TellsExitAndOutput) {
  const auto outcome = run("echo out; echo error >&2; cat; exit 3");
  EXPECT_EQ(outcome.how, How::exited);
  EXPECT_EQ(outcome.code, 3);
  EXPECT_FALSE(outcome.succeeded());
  EXPECT_NE(outcome.output.find("out\n"), std::string::npos);
  EXPECT_NE(outcome.output.find("error\n"), std::string::npos);
  EXPECT_EQ(outcome.answer, "out\n");
  EXPECT_FALSE(outcome.is_cut);
  EXPECT_EQ(describe(outcome), "exited with code 3");
}

TEST_F(ProgramTest, RunsInTheProject) {
  EXPECT_EQ(run("pwd -P").output, std::filesystem::canonical(path()).string() + "\n");
}

TEST_F(ProgramTest, TellsTheSignal) {
  const auto outcome = run("kill -9 $$");
  EXPECT_EQ(outcome.how, How::signaled);
  EXPECT_EQ(describe(outcome), "was killed by signal 9");
}

TEST_F(ProgramTest, KeepsTheEndOfLongOutput) {
  auto options = shell_command(view_, "head -c 1000000 /dev/zero | tr '\\0' x; echo; echo last", path());
  options.output_kept_bytes = 1000;
  const auto outcome = run(options);
  EXPECT_TRUE(outcome.succeeded());
  EXPECT_TRUE(outcome.is_cut);
  EXPECT_EQ(outcome.output.size(), 1000U);
  EXPECT_TRUE(outcome.output.ends_with("x\nlast\n"));
}

TEST_F(ProgramTest, WhoKeepsThePipesOpenIsNotWaitedForLong) {
  const auto outcome = run("sleep 100 & echo started");
  EXPECT_TRUE(outcome.succeeded());
  EXPECT_EQ(outcome.output, "started\n");
}

TEST_F(ProgramTest, IsEndedAtItsLimit) {
  auto options = shell_command(view_, "echo begun; sleep 100; echo over", path());
  options.limit = 50ms;
  const auto outcome = run(options);
  EXPECT_EQ(outcome.how, How::timed_out);
  EXPECT_FALSE(outcome.succeeded());
  EXPECT_EQ(outcome.output.find("over"), std::string::npos);
}

TEST_F(ProgramTest, WhatCannotStartIsAnError) {
  ProgramOptions options;
  options.arguments = {"/no/such/program"};
  options.directory = path();
  const auto started = Program::start(view_, options, [](const ProgramOutcome&) { FAIL(); });
  ASSERT_FALSE(started);
  EXPECT_NE(started.error().what.find("/no/such/program"), std::string::npos);
}

TEST_F(ProgramTest, DestroyingItKillsWhatItStarted) {
  auto started = Program::start(view_, shell_command(view_, "echo $$ > pid; echo ready; exec sleep 100", path()),
                                [](const ProgramOutcome&) { FAIL(); });
  ASSERT_TRUE(started);
  ASSERT_TRUE(view_.loop.run_until([&] { return read("pid").ends_with('\n'); }));  // its output wakes the loop
  const auto identity = view_.processes.identify(std::stoll(read("pid")));
  ASSERT_TRUE(identity);
  started->reset();
  EXPECT_FALSE(view_.processes.is_alive(*identity));
}

// On simulated time, with a program that does not listen.
TEST(SimulatedProgram, WhoIsDeafToTermIsKilled) {
  env::sim::World world(1);
  const auto host = world.start("engine").view();
  agent::FakeProcesses processes(host.processes);
  const auto view = processes.in(host);
  std::optional<ProgramOutcome> outcome;
  ProgramOptions options = shell_command(view, "true", "/project");
  options.limit = 10s;
  auto started = Program::start(view, options, [&](const ProgramOutcome& got) { outcome = got; });
  ASSERT_TRUE(started);
  EXPECT_TRUE(processes.last().input_ended);
  world.run_for(9s);
  EXPECT_TRUE(processes.last().signals.empty());
  world.run_for(2s);
  EXPECT_EQ(processes.last().signals, std::vector<int>{SIGTERM});
  world.run_for(limits::kProgramTermGrace);
  EXPECT_EQ(processes.last().signals, (std::vector<int>{SIGTERM, SIGKILL}));
  EXPECT_FALSE(outcome);
  processes.last().die_by(SIGKILL);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->how, How::timed_out);
  EXPECT_EQ(describe(*outcome), "took longer than 10 s and was ended");
}

}  // namespace
}  // namespace teamster::engine
