#include "script/command_run.h"

#include <gtest/gtest.h>

#include "base/limits.h"
#include "env/real/world.h"
#include "script/environment.h"

namespace teamster::script {
namespace {

class CommandRunTest : public testing::Test {
 protected:
  Outcome run(const std::string& command, const std::vector<std::string>& environment = {"PATH=/usr/bin:/bin"}) {
    std::optional<Outcome> outcome;
    auto started = CommandRun::start(view_, command, environment, [&](const Outcome& got) { outcome = got; });
    EXPECT_TRUE(started);
    EXPECT_TRUE(view_.loop.run_until([&] { return outcome.has_value(); }));
    return outcome.value_or(Outcome());
  }

  env::real::World world_;
  env::World view_ = world_.view();
};

TEST_F(CommandRunTest, TellsOutputAndExit) {
  const auto outcome = run("echo out; echo err >&2; echo $NAME; cat; exit 3", {"PATH=/usr/bin:/bin", "NAME=value"});
  EXPECT_EQ(outcome.exit, 3);
  EXPECT_NE(outcome.text.find("out"), std::string::npos);
  EXPECT_NE(outcome.text.find("err"), std::string::npos);
  EXPECT_NE(outcome.text.find("value"), std::string::npos);
}

TEST_F(CommandRunTest, ASignalIsAnExitCodeToo) { EXPECT_EQ(run("kill -9 $$").exit, 137); }

TEST_F(CommandRunTest, LongOutputIsCutAndCounted) {
  const auto outcome = run("head -c 1000000 /dev/zero | tr '\\0' x");
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_LE(outcome.text.size(), limits::kScriptCommandOutputMaxBytes + 100);
  EXPECT_TRUE(outcome.text.ends_with("\n… 970000 bytes more")) << outcome.text.substr(outcome.text.size() - 50);
}

TEST_F(CommandRunTest, WhoKeepsThePipesOpenIsNotWaitedForLong) {
  const auto outcome = run("sleep 100 & echo started");
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_EQ(outcome.text, "started");
}

TEST_F(CommandRunTest, DestroyingItKillsTheCommand) {
  std::optional<Outcome> outcome;
  auto started = CommandRun::start(view_, "echo $$; exec sleep 100", {"PATH=/usr/bin:/bin"},
                                   [&](const Outcome& got) { outcome = got; });
  ASSERT_TRUE(started);
  started->reset();
  view_.loop.run_until([] { return false; });
  EXPECT_FALSE(outcome);
}

TEST(Environment, ChangesReplaceWhatWasThere) {
  EXPECT_EQ(with_variables({"A=1", "B=2", "odd"}, {{"B", "3"}, {"C", "4"}}),
            (std::vector<std::string>{"A=1", "odd", "B=3", "C=4"}));
}

}  // namespace
}  // namespace teamster::script
