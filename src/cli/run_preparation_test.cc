#include "cli/run_preparation.h"

#include <gtest/gtest.h>

#include "cli/run_lines.h"

namespace teamster::cli {
namespace {

using Words = std::vector<std::string>;

workflow::Workflow with_arguments() {
  workflow::Workflow workflow;
  workflow.name = "w";
  workflow.args = {{"spec", "", "", {}, std::nullopt}, {"kind", "", "", {}, "fast"}, {"note", "", "", {}, ""}};
  return workflow;
}

TEST(WordsOfNamedTest, AreInTheOrderOfTheWorkflow) {
  const auto words = words_of_named(with_arguments(), {"note=a=b", "spec=01"});
  ASSERT_TRUE(words);
  EXPECT_EQ(*words, (Words{"01", "fast", "a=b"}));
  EXPECT_EQ(*words_of_named(with_arguments(), {"spec=01", "spec=02"}), (Words{"02", "fast", ""})) << "the last counts";
}

TEST(WordsOfNamedTest, WhatIsMissingIsLeftToTheWorkflow) {
  EXPECT_EQ(*words_of_named(with_arguments(), {"kind=slow"}), Words());
}

TEST(WordsOfNamedTest, WhatIsUnknownIsRefused) {
  for (const char* given : {"speck=01", "spec", "=01", ""}) {
    const auto words = words_of_named(with_arguments(), {given});
    ASSERT_FALSE(words) << given;
    EXPECT_EQ(words.error().code, Code::invalid);
  }
}

TEST(RunLinesTest, ARemindedQuestionIsShown) {
  engine::Recorded recorded;
  recorded.record.event = {workflow::event::kDue, "approve", 1, {{"what", "remind"}}};
  recorded.record.commands = {{workflow::command::kRemind, "", 0, {{"question", "approve.1"}}}};
  ASSERT_EQ(lines_of(recorded).size(), 1U);
  EXPECT_NE(lines_of(recorded)[0].find("approve.1 still waits"), std::string::npos);
  recorded.record.commands[0].body["to"] = "owner";
  EXPECT_NE(lines_of(recorded)[0].find("owner is asked now"), std::string::npos);
}

}  // namespace
}  // namespace teamster::cli
