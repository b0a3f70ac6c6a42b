#include "agent/command/command_session.h"

#include <csignal>

#include <gtest/gtest.h>

#include "agent/command/command_driver.h"
#include "agent/fake_program_for_test.h"
#include "agent/recorded_listener_for_test.h"
#include "base/limits.h"
#include "env/files.h"

namespace teamster::agent {
namespace {

using namespace std::chrono_literals;
using Lines = std::vector<std::string>;

class CommandSessionTest : public testing::Test {
 protected:
  CommandSessionTest() {
    const env::Spawn spawn{"/bin/wc", {"wc", "-w"}, {"A=1"}, "/src"};
    session_ = std::make_unique<CommandSession>(processes_.in(view_), spawn, limits_, listener_);
  }
  // Lets the loop do what was posted.
  void settle() { world_.run_for(1ms); }
  FakeProgram& program() { return processes_.last(); }
  void say(const std::string& id, const std::string& text) {
    session_->say({id, text});
    settle();
  }

  env::sim::World world_{5};
  env::World view_ = world_.start("host").view();
  FakeProcesses processes_{view_.processes};
  SessionLimits limits_{.silence = 60s, .turn = 300s};
  RecordedListener listener_;
  std::unique_ptr<CommandSession> session_;
};

TEST_F(CommandSessionTest, NothingRunsBeforeSomethingIsSaid) {
  settle();
  EXPECT_TRUE(processes_.programs.empty());
  EXPECT_FALSE(session_->is_working());
  EXPECT_EQ(session_->pid(), 0);
}

TEST_F(CommandSessionTest, APromptGoesInAndTheOutputIsTheAnswer) {
  say("a", "count me");
  EXPECT_EQ(program().input, "count me\n");
  EXPECT_TRUE(program().input_ended);
  EXPECT_EQ(program().spawn.directory, "/src");
  EXPECT_TRUE(session_->is_working());
  EXPECT_EQ(session_->pid(), program().pid);
  program().write("2");
  program().write("\n");
  program().exit(0);
  settle();
  EXPECT_EQ(listener_.heard(),
            (Lines{"turn started", "a accepted", "a taken", "text 2", "text \n", "a done", "turn ended none"}));
  EXPECT_EQ(listener_.ends.at(0).text, "2\n");
  EXPECT_EQ(listener_.ends.at(0).stop_reason, "exited with code 0");
  EXPECT_EQ(listener_.ends.at(0).usage.cost_usd, std::nullopt);
  EXPECT_FALSE(listener_.ends.at(0).session_over) << "the next turn starts it anew";
  EXPECT_FALSE(session_->is_working());
  EXPECT_FALSE(program().is_kept);
}

TEST_F(CommandSessionTest, WhatIsSaidAtOnceGoesInTogether) {
  session_->say({"a", "one"});
  session_->say({"b", "two"});
  settle();
  EXPECT_EQ(processes_.programs.size(), 1U);
  EXPECT_EQ(program().input, "one\ntwo\n");
  program().exit(0);
  EXPECT_EQ(listener_.ends.at(0).inputs, (Lines{"a", "b"}));
}

TEST_F(CommandSessionTest, WhatIsSaidMeanwhileWaitsForTheNextRun) {
  say("a", "one");
  say("b", "two");
  EXPECT_EQ(processes_.programs.size(), 1U);
  EXPECT_EQ(program().input, "one\n");
  program().exit(0);
  settle();
  ASSERT_EQ(processes_.programs.size(), 2U);
  EXPECT_EQ(program().input, "two\n");
  program().exit(0);
  settle();
  EXPECT_EQ(listener_.ends.at(1).inputs, Lines{"b"});
}

TEST_F(CommandSessionTest, AnExitCodeIsAFailureWithWhatItComplained) {
  say("a", "x");
  program().write("half");
  program().complain("wc: bad option\n");
  program().exit(2);
  settle();
  const TurnEnd& end = listener_.ends.at(0);
  EXPECT_EQ(end.fault, Fault::crashed);
  EXPECT_EQ(end.error, "the command exited with code 2; it said: wc: bad option");
  EXPECT_EQ(end.text, "half");
  EXPECT_EQ(listener_.heard().back(), "turn ended crashed");
}

TEST_F(CommandSessionTest, OfLongComplaintsTheEndIsKept) {
  say("a", "x");
  for (int i = 0; i < 1000; ++i) program().complain(std::string(100, 'x') + "\n");
  program().complain("the last words");
  program().exit(1);
  settle();
  const std::string error = listener_.ends.at(0).error;
  EXPECT_LT(error.size(), limits::kAgentErrorsKeptBytes + 200);
  EXPECT_TRUE(error.ends_with("the last words"));
  EXPECT_NE(error.find("…"), std::string::npos) << "says that something is missing";
}

TEST_F(CommandSessionTest, OutputOverTheLimitEndsIt) {
  say("a", "x");
  const std::string piece(1024 * 1024, 'y');
  for (std::size_t bytes = 0; bytes < limits::kAgentAnswerMaxBytes; bytes += piece.size()) program().write(piece);
  EXPECT_TRUE(program().signals.empty());
  program().write("!");
  EXPECT_EQ(program().signals, std::vector<int>{SIGTERM});
  program().die_by(SIGTERM);
  settle();
  EXPECT_EQ(listener_.ends.at(0).fault, Fault::protocol);
  EXPECT_NE(listener_.ends.at(0).error.find("more than 16777216 bytes"), std::string::npos);
}

TEST_F(CommandSessionTest, SilenceAndLengthAreLimited) {
  say("a", "x");
  world_.run_for(59s);
  program().write("dot");
  world_.run_for(59s);
  EXPECT_TRUE(program().signals.empty());
  world_.run_for(2s);
  EXPECT_EQ(program().signals, std::vector<int>{SIGTERM});
  program().die_by(SIGTERM);
  EXPECT_EQ(listener_.ends.at(0).fault, Fault::silent);
  say("b", "y");
  for (int i = 0; i < 31; ++i) {
    world_.run_for(10s);
    program().write(".");
  }
  EXPECT_EQ(program().signals, (std::vector<int>{SIGTERM, SIGKILL}));
  program().die_by(SIGKILL);
  EXPECT_EQ(listener_.ends.at(1).fault, Fault::limit);
}

TEST_F(CommandSessionTest, InterruptEndsTheRunAndTheNextOneStarts) {
  session_->interrupt();
  say("a", "x");
  say("b", "y");
  session_->interrupt();
  EXPECT_EQ(program().signals, std::vector<int>{SIGTERM});
  program().die_by(SIGTERM);
  settle();
  EXPECT_EQ(listener_.ends.at(0).fault, Fault::interrupted);
  EXPECT_EQ(processes_.programs.size(), 2U);
}

TEST_F(CommandSessionTest, ACommandThatCannotBeStartedIsATurnThatFailed) {
  processes_.refusal = "there is no /bin/wc";
  say("a", "x");
  EXPECT_EQ(listener_.heard(), (Lines{"turn started", "a failed", "turn ended crashed"}));
  EXPECT_NE(listener_.ends.at(0).error.find("/bin/wc"), std::string::npos);
  processes_.refusal.clear();
  say("b", "y");
  EXPECT_EQ(program().input, "y\n");
}

TEST_F(CommandSessionTest, CloseWhenIdleAndWhenItRuns) {
  session_->close();
  EXPECT_FALSE(listener_.ended) << "from the loop, not from inside the call";
  settle();
  ASSERT_TRUE(listener_.ended);
  EXPECT_TRUE(listener_.ended->expected);
  say("a", "x");
  EXPECT_TRUE(processes_.programs.empty()) << "nothing starts after that";
}

TEST_F(CommandSessionTest, CloseInATurnEndsTheRunFirst) {
  say("a", "x");
  say("b", "y");
  session_->close();
  EXPECT_EQ(program().signals, std::vector<int>{SIGTERM});
  program().die_by(SIGTERM);
  settle();
  EXPECT_EQ(listener_.ends.at(0).fault, Fault::interrupted);
  EXPECT_EQ(listener_.heard().back(), "ended as expected");
  EXPECT_EQ(processes_.programs.size(), 1U) << "what waited is not run";
}

TEST_F(CommandSessionTest, DroppedInATurnItTakesTheRunWithIt) {
  say("a", "x");
  session_.reset();
  EXPECT_FALSE(program().is_kept);
  settle();
}

class DriverTest : public testing::Test {
 protected:
  void make_file(const std::string& path, std::uint32_t mode) {
    ASSERT_TRUE(view_.files.make_private_directory(path.substr(0, path.rfind('/'))));
    ASSERT_TRUE(view_.files.write_atomically(path, "#!", mode));
  }
  Result<std::unique_ptr<Session>> start(const char* driver, const StartOptions& options) {
    return (*find_driver(driver))->start(processes_.in(view_), options, listener_);
  }

  env::sim::World world_{5};
  env::World view_ = world_.start("host").view();
  FakeProcesses processes_{view_.processes};
  RecordedListener listener_;
};

TEST_F(DriverTest, AreFoundByName) {
  for (const Driver* driver : all_drivers()) EXPECT_EQ(*find_driver(driver->name()), driver);
  const auto typo = find_driver("claud");
  ASSERT_FALSE(typo);
  EXPECT_EQ(typo.error().code, Code::invalid);
  EXPECT_NE(typo.error().next.find("claude"), std::string::npos);
  const auto nonsense = find_driver("something-else");
  ASSERT_FALSE(nonsense);
  EXPECT_NE(nonsense.error().next.find("claude, command, script"), std::string::npos) << nonsense.error().next;
}

TEST_F(DriverTest, AProgramIsFoundOnThePathWhenItCanBeRun) {
  make_file("/usr/bin/agent", 0755);
  make_file("/usr/bin/notes", 0644);
  EXPECT_EQ(find_on_path(view_, "agent"), "/usr/bin/agent");
  EXPECT_EQ(find_on_path(view_, "/usr/bin/agent"), "/usr/bin/agent");
  EXPECT_EQ(find_on_path(view_, "notes"), "");
  EXPECT_EQ(find_on_path(view_, "/usr/bin/notes"), "");
  EXPECT_EQ(find_on_path(view_, "/usr/bin"), "") << "a directory is no program";
  EXPECT_EQ(find_on_path(view_, "nothing"), "");
  EXPECT_EQ(find_on_path(view_, "/nothing"), "");
}

TEST_F(DriverTest, ACommandIsNamedAndThere) {
  EXPECT_EQ(start("command", {}).error().code, Code::invalid);
  StartOptions options;
  options.arguments = {"agent", "-x"};
  EXPECT_EQ(start("command", options).error().code, Code::not_found);
  make_file("/usr/bin/agent", 0755);
  EXPECT_TRUE(start("command", options));
}

TEST_F(DriverTest, ClaudeThatIsNotInstalledSaysHowToInstallIt) {
  const auto started = start("claude", {});
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, Code::not_found);
  EXPECT_NE(started.error().next.find("npm install"), std::string::npos);
  EXPECT_NE(started.error().next.find("TEAMSTER_CLAUDE"), std::string::npos);
  make_file("/usr/bin/claude", 0755);
  EXPECT_TRUE(start("claude", {}));
  EXPECT_EQ(processes_.last().spawn.program, "/usr/bin/claude");
}

TEST_F(DriverTest, AScriptIsPlayedByOurselves) {
  EXPECT_EQ(start("script", {}).error().code, Code::invalid);
  StartOptions options;
  options.script = "/src/play.json";
  options.private_directory = "/home/user/builder";
  EXPECT_EQ(start("script", options).error().code, Code::not_found);
  make_file("/src/play.json", 0644);
  ASSERT_TRUE(start("script", options));
  const auto& words = processes_.last().spawn.arguments;
  EXPECT_EQ(processes_.last().spawn.program, view_.processes.own_executable());
  EXPECT_EQ(words.at(1), "script-agent");
  EXPECT_EQ(words.at(3), "/src/play.json");
  EXPECT_EQ(words.at(5), "/home/user/builder/script") << "its place is the member's own";
}

}  // namespace
}  // namespace teamster::agent
