#include "cli/text/run_lines.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace teamster::cli {
namespace {

TEST(RunLinesTest, ARemindedQuestionIsShown) {
  engine::Recorded recorded;
  recorded.record.event = {workflow::event::Due{"remind"}, "approve", 1};
  recorded.record.commands = {{workflow::command::Remind{"approve.1"}}};
  ASSERT_EQ(lines_of(recorded).size(), 1U);
  EXPECT_NE(lines_of(recorded)[0].find("approve.1 still waits"), std::string::npos);
  recorded.record.commands[0].as<workflow::command::Remind>()->to = "owner";
  EXPECT_NE(lines_of(recorded)[0].find("owner is asked now"), std::string::npos);
}

TEST(RunLinesTest, ATagSaysThatItIsOne) {
  engine::Recorded recorded;
  recorded.record.event = {workflow::event::Done{.answer = {{"tag", "done"}, {"commit", "1a2b"}}}, "record", 1};
  ASSERT_EQ(lines_of(recorded).size(), 1U);
  EXPECT_EQ(lines_of(recorded)[0], "00:00:00 record.1 done, tag done");
}

}  // namespace
}  // namespace teamster::cli
