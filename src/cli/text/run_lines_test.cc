#include "cli/text/run_lines.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace teamster::cli {
namespace {

const Palette kPlain(false);

TEST(RunLinesTest, ARemindedQuestionIsShown) {
  engine::Recorded recorded;
  recorded.record.event = {workflow::event::Due{"remind"}, "approve", 1};
  recorded.record.commands = {{workflow::command::Remind{"approve.1"}}};
  ASSERT_EQ(lines_of(recorded, kPlain).size(), 1U);
  EXPECT_NE(lines_of(recorded, kPlain)[0].find("approve.1 still waits"), std::string::npos);
  recorded.record.commands[0].as<workflow::command::Remind>()->to = "owner";
  EXPECT_NE(lines_of(recorded, kPlain)[0].find("owner is asked now"), std::string::npos);
}

TEST(RunLinesTest, ATagSaysThatItIsOne) {
  engine::Recorded recorded;
  recorded.record.event = {workflow::event::Done{.answer = {{"tag", "done"}, {"commit", "1a2b"}}}, "record", 1};
  ASSERT_EQ(lines_of(recorded, kPlain).size(), 1U);
  EXPECT_EQ(lines_of(recorded, kPlain)[0], "00:00:00 record.1 done, tag done");
}

TEST(RunLinesTest, WhoAnsweredAndWhatIsSaid) {
  engine::Recorded recorded;
  recorded.record.event = {workflow::event::Done{.answer = {{"answer", "left"}, {"by", "kim"}}}, "which", 1};
  EXPECT_EQ(lines_of(recorded, kPlain).at(0), "00:00:00 which.1 done by kim: left");
  recorded.record.event.as<workflow::event::Done>()->answer = {
      {"approved", false}, {"feedback", "smaller\nsteps"}, {"by", "kim"}};
  EXPECT_EQ(lines_of(recorded, kPlain).at(0), "00:00:00 which.1 done, approved no by kim: smaller");
}

TEST(RunLinesTest, NobodysWordsAreActedOnByATerminal) {
  engine::Recorded recorded;
  const std::string hostile = "\x1b]0;owned\x07";
  recorded.record.event = {workflow::event::Failed{"crashed", hostile}, "build", 1};
  recorded.record.commands = {{workflow::command::Turn{.member = hostile, .role = "", .rung = hostile}, "build", 2},
                              {workflow::command::Check{{hostile}}, "test", 1}};
  const auto lines = lines_of(recorded, kPlain);
  ASSERT_EQ(lines.size(), 3U);
  for (const auto& line : lines) {
    EXPECT_EQ(line.find('\x1b'), std::string::npos) << line;
    EXPECT_NE(line.find("\\x1b]0;owned\\x07"), std::string::npos) << line;
  }
}

TEST(RunLinesTest, FailuresAreRedAndStepsStandOut) {
  const Palette palette(true);
  engine::Recorded recorded;
  recorded.record.event = {workflow::event::Failed{"crashed", "x"}, "build", 1};
  EXPECT_EQ(lines_of(recorded, palette).at(0),
            "\x1b[2m00:00:00\x1b[0m \x1b[36mbuild.1\x1b[0m \x1b[31mfailed\x1b[0m (crashed): x");
}

}  // namespace
}  // namespace teamster::cli
