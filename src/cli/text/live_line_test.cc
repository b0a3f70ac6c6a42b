#include "cli/text/live_line.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/text/printable.h"

namespace teamster::cli {
namespace {

using namespace std::chrono_literals;
using agent::Activity;
namespace command = workflow::command;

class LiveLineTest : public testing::Test {
 protected:
  static Instant at(Duration span) { return Instant() + span; }
  void open(const std::string& step, workflow::CommandBody body) {
    state_.open[step + ".1"] = {std::move(body), step, 1};
  }
  static command::Turn turn_of(const std::string& member) { return {.member = member, .role = "builder"}; }
  void use(std::int64_t tokens, double usd) { state_.usage["run"] = {1, tokens, usd}; }
  std::string text(Duration now, std::size_t columns = 80) const { return line_.text(columns, at(now)); }

  workflow::RunState state_;
  LiveLine line_;
};

TEST_F(LiveLineTest, SaysWhoDoesWhatForHowLongAndWhatWasUsed) {
  EXPECT_EQ(text(0s), "");
  open("fix", turn_of("builder"));
  use(34'512, 0.421);
  line_.state_is("r", state_, at(10s));
  EXPECT_EQ(text(17s), "fix.1 builder  0:07  begins  34k tokens, 0.42 USD");
  line_.agent_does("r", "builder",
                   {.kind = Activity::Kind::tool_call, .tool = "Bash", .input = {{"command", "make\ntest"}}}, at(20s));
  EXPECT_EQ(text(82s), "fix.1 builder  1:12  Bash make\\ntest  34k tokens, 0.42 USD");
  line_.agent_does("r", "builder", {.kind = Activity::Kind::text, .text = "I see.\nNow"}, at(90s));
  EXPECT_EQ(text(3700s), "fix.1 builder  1:01:30  I see.  34k tokens, 0.42 USD");
  state_.open.clear();
  line_.state_is("r", state_, at(91s));
  EXPECT_EQ(text(91s), "");
  EXPECT_FALSE(line_.is_at_work());
}

TEST_F(LiveLineTest, TokensOfTheTurnThatGoesOnCountAsTheyAreUsed) {
  open("fix", turn_of("builder"));
  line_.state_is("r", state_, at(0s));
  const auto says = [this](const std::string& message, std::int64_t tokens) {
    line_.agent_does("r", "builder",
                     {.kind = Activity::Kind::text, .text = "Hm.", .message = message, .tokens = tokens}, at(1s));
  };
  says("m1", 800);
  EXPECT_EQ(text(2s), "fix.1 builder  0:02  Hm.  800 tokens") << "what it costs is not known before its end";
  says("m1", 900);
  says("m2", 200);
  EXPECT_EQ(text(2s), "fix.1 builder  0:02  Hm.  1.1k tokens");
  state_.open.clear();
  open("check", turn_of("tester"));
  use(1'100, 0.5);
  line_.state_is("r", state_, at(3s));
  EXPECT_EQ(text(3s), "check.1 tester  0:00  begins  1.1k tokens, 0.50 USD") << "nothing counts twice";
}

TEST_F(LiveLineTest, FitsTheWidth) {
  open("implement", turn_of("builder"));
  use(34'000, 1.5);
  line_.state_is("r", state_, at(0s));
  line_.agent_does("r", "builder", {.kind = Activity::Kind::text, .text = std::string(300, 'x')}, at(1s));
  for (const std::size_t columns : {20U, 30U, 40U, 60U, 79U, 200U}) {
    EXPECT_LE(columns_of(text(5s, columns)), columns) << columns;
    EXPECT_EQ(text(5s, columns).find("implement.1"), 0U) << columns;
  }
  EXPECT_NE(text(5s, 79).find("1.50 USD"), std::string::npos) << text(5s, 79);
}

TEST_F(LiveLineTest, OfSeveralItShowsTheOneThatWasHeardOfLast) {
  open("research/1", turn_of("ida"));
  open("research/2", turn_of("sam"));
  open("which", command::Ask{.text = "Which?", .to = "kim"});
  line_.state_is("r", state_, at(0s));
  line_.agent_does("r", "ida", {.kind = Activity::Kind::thinking}, at(3s));
  EXPECT_EQ(text(4s), "research/1.1 ida  0:04  thinks  (+1 at work)");
  line_.agent_does("r", "sam", {.kind = Activity::Kind::tool_result, .text = "x"}, at(5s));
  EXPECT_EQ(text(6s), "research/2.1 sam  0:06  thinks  (+1 at work)");
  line_.agent_does("r", "eve", {.kind = Activity::Kind::text, .text = "of no turn"}, at(7s));
  EXPECT_EQ(text(6s).find("of no turn"), std::string::npos);
}

TEST_F(LiveLineTest, WaitsForPeopleWhereNothingElseGoesOn) {
  open("which", command::Ask{.text = "Which?", .to = "kim"});
  line_.state_is("r", state_, at(0s));
  EXPECT_EQ(text(61s), "which.1 waits for kim  1:01");
  EXPECT_FALSE(line_.is_at_work());
  open("test", command::Check{{"make test"}});
  line_.state_is("r", state_, at(62s));
  EXPECT_EQ(text(63s), "test.1  0:01  make test");
}

TEST_F(LiveLineTest, CountsWhatRunsBelowUseOnce) {
  open("each", command::SubRun{"small"});
  use(1000, 1);
  line_.state_is("above", state_, at(0s));
  workflow::RunState below;
  below.usage["run"] = {1, 500, 0.5};
  below.open["build.1"] = {turn_of("builder"), "build", 1};
  line_.state_is("below", below, at(1s));
  EXPECT_EQ(text(2s), "build.1 builder  0:01  begins  1.5k tokens, 1.50 USD");
  below.status = workflow::status::kDone;
  line_.state_is("below", below, at(3s));
  use(1500, 1.5);
  state_.open = {{"record.1", {command::Commit{{"a"}, "it"}, "record", 1}}};
  line_.state_is("above", state_, at(4s));
  EXPECT_EQ(text(4s), "record.1  0:00  commits  1.5k tokens, 1.50 USD");
}

TEST_F(LiveLineTest, NobodysWordsAreActedOnByATerminal) {
  open("fix", turn_of("builder"));
  line_.state_is("r", state_, at(0s));
  line_.agent_does("r", "builder", {.kind = Activity::Kind::text, .text = "\x1b[2J\x9b"}, at(1s));
  EXPECT_EQ(text(1s), "fix.1 builder  0:01  \\x1b[2J\\x9b");
}

}  // namespace
}  // namespace teamster::cli
