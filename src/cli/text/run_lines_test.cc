#include "cli/text/run_lines.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace teamster::cli {
namespace {

TEST(RunLinesTest, ARemindedQuestionIsShown) {
  engine::Recorded recorded;
  recorded.record.event = {workflow::event::kDue, "approve", 1, {{"what", "remind"}}};
  recorded.record.commands = {{workflow::command::kRemind, "", 0, {{"question", "approve.1"}}}};
  ASSERT_EQ(lines_of(recorded).size(), 1U);
  EXPECT_NE(lines_of(recorded)[0].find("approve.1 still waits"), std::string::npos);
  recorded.record.commands[0].body["to"] = "owner";
  EXPECT_NE(lines_of(recorded)[0].find("owner is asked now"), std::string::npos);
}

TEST(RunLinesTest, ATagSaysThatItIsOne) {
  engine::Recorded recorded;
  recorded.record.event = {workflow::event::kDone, "record", 1, {{"answer", {{"tag", "done"}, {"commit", "1a2b"}}}}};
  ASSERT_EQ(lines_of(recorded).size(), 1U);
  EXPECT_EQ(lines_of(recorded)[0], "00:00:00 record.1 done, tag done");
}

}  // namespace
}  // namespace teamster::cli
