#include "verify/bash_check.h"

#include <gtest/gtest.h>

#include "verify/repository_for_test.h"

namespace teamster::verify {
namespace {

using namespace std::chrono_literals;

class BashCheckTest : public RepositoryTest {
 protected:
  CheckOutcome check(const std::string& command, Duration limit = 60s) {
    CheckSetting setting{.bash = find_program(view_, "bash"),
                         .root = directory_.path(),
                         .environment = check_environment(view_.processes),
                         .scratch = scratch_.path(),
                         .limit = limit};
    std::unique_ptr<BashCheck> running;
    auto outcome = wait<CheckOutcome>([&](std::function<void(CheckOutcome)> done) {
      running = std::make_unique<BashCheck>(view_, setting, command, std::move(done));
    });
    running.reset();
    EXPECT_TRUE(std::filesystem::is_empty(scratch_.path())) << "a mark is left of: " << command;
    return outcome;
  }

  env::real::TemporaryDirectory scratch_;
};

TEST_F(BashCheckTest, ExitCodeAndLinesDecide) {
  EXPECT_TRUE(check("true").passed);
  EXPECT_TRUE(check("echo \" FAIL\"; echo fail").passed);
  EXPECT_EQ(check("exit 3").why, "exit code 3");
  EXPECT_EQ(check("echo ok; echo FAILED 2").why, "it printed: FAILED 2");
  EXPECT_FALSE(check("echo FAIL >&2").passed);
  EXPECT_FALSE(check("kill -9 $$").passed);
  EXPECT_EQ(check("kill -9 $$").why, "was killed by signal 9");
  EXPECT_FALSE(check("no-such-program-here").passed);
  EXPECT_FALSE(check("if then").passed) << "a syntax error";
}

TEST_F(BashCheckTest, RunsBashAtTheRootWithNothingToRead) {
  const auto outcome = check("pwd -P; cat; [[ $BASH_VERSION ]] && echo \"$0 $#\"");
  EXPECT_TRUE(outcome.passed) << outcome.output;
  EXPECT_EQ(outcome.output,
            std::filesystem::canonical(directory_.path()).string() + "\n" + find_program(view_, "bash") + " 0\n");
}

TEST_F(BashCheckTest, PipefailIsOn) {
  EXPECT_FALSE(check("false | true").passed);
  EXPECT_FALSE(check("true | false").passed);
  EXPECT_FALSE(check("true | (exit 3) | true").passed);
  EXPECT_FALSE(check("x=$(false | true)").passed);
  EXPECT_FALSE(check("set -e; false | true; true").passed);
  EXPECT_TRUE(check("if false | true; then exit 1; fi").passed);
  EXPECT_TRUE(check("test \"$(grep zzz /dev/null | wc -l)\" -eq 0").passed) << "nobody asks for the status there";
  EXPECT_TRUE(check("echo 'a | b'").passed);
  EXPECT_EQ(check("echo 'a | b' \\").output, "a | b\n");
  EXPECT_EQ(check("true | cat <<'END'\na\nEND").output, "a\n");
}

// The rule and what it is not: a stage that SIGPIPE ended does not fail its pipeline, and nothing else is excused.
TEST_F(BashCheckTest, SigpipeOfAnEarlyStageDoesNotFail) {
  for (const char* good : {"yes | head -1", "yes | head -1\n", "yes | cat | head -1", "yes | head -1 && true",
                           "if yes | grep -q y; then exit 0; else exit 1; fi", "x=$(yes | head -1) && test $x = y",
                           "set -e; yes | head -1; true", "f() { yes | head -1; }; f", "(yes | head -1)",
                           "yes | head -1 | grep -q y || exit 4", "for i in 1 2 3; do yes | head -1; done",
                           "trap 'echo bye' EXIT; yes | head -1", "set -u; yes | head -1", "set -C; yes | head -1",
                           "yes | head -1 # a comment", "yes | head -1 \\", "yes | head -1\necho"})
    EXPECT_TRUE(check(good).passed) << good << ": " << check(good).why;
  for (const char* bad : {"yes | head -1 && false", "yes | head -1; exit 2", "yes | (read -r a; exit 3)",
                          "if yes | grep -q y; then exit 1; fi", "yes | head -1; false | true", "false | yes | head -1",
                          "yes | false | true", "exit 141", "yes | head -1; echo FAIL", "kill -PIPE $$; true",
                          "sh -c 'kill -PIPE $$'", "true | sh -c 'kill -PIPE $$'; exit 141"})
    EXPECT_FALSE(check(bad).passed) << bad;
}

TEST_F(BashCheckTest, ALateOneIsEndedWithAllItStarted) {
  const auto outcome = check("(trap '' TERM; echo begun; sleep 100; touch survived) & sleep 100", 300ms);
  EXPECT_FALSE(outcome.passed);
  EXPECT_NE(outcome.why.find("took longer than"), std::string::npos) << outcome.why;
  EXPECT_EQ(outcome.output, "begun\n");
}

TEST_F(BashCheckTest, WhatItLeavesInTheBackgroundDoesNotHoldItUp) {
  const auto outcome = check("sleep 100 & echo $! > built-pid; echo done");
  EXPECT_TRUE(outcome.passed);
  EXPECT_EQ(outcome.output, "done\n");
  EXPECT_TRUE(
      run("grep -sq 'State:.*Z' /proc/$(cat built-pid)/status || ! test -e /proc/$(cat built-pid)").succeeded());
}

TEST_F(BashCheckTest, MuchOutputAndBytesThatAreNoTextAreKeptInBounds) {
  const auto much = check("head -c 5000000 /dev/zero | tr '\\0' a; printf '\\nFAIL at the end'");
  EXPECT_EQ(much.why, "it printed: FAIL at the end");
  EXPECT_TRUE(much.is_cut);
  EXPECT_LT(much.output.size(), kEvidenceHeadBytes + kEvidenceTailBytes + 100);
  EXPECT_EQ(check("printf '\\377\\376\\0x'").output, std::string("\xff\xfe\0x", 4));
}

TEST_F(BashCheckTest, WhatCannotBeStartedIsAnOutcome) {
  std::filesystem::remove_all(directory_.path());
  EXPECT_NE(check("true").why.find("could not be started"), std::string::npos);
}

}  // namespace
}  // namespace teamster::verify
