#include "cli/commands/run/run_preparation.h"

#include <gtest/gtest.h>

#include "cli/text/run_lines.h"
#include "env/sim/sim_random.h"

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

TEST(FreeRunIdTest, IsOneThatNoRunHas) {
  env::sim::SimRandom random(7);
  Words asked;
  const std::string run = free_run_id("w-20261116-", random, [&](const std::string& name) {
    asked.push_back(name);
    return asked.size() < 3;
  });
  ASSERT_EQ(asked.size(), 3U);
  EXPECT_EQ(run, asked.back());
  EXPECT_NE(asked[0], asked[1]);
  EXPECT_EQ(run.size(), std::string("w-20261116-1a2b").size());
}

TEST(FreeRunIdTest, ADayOnWhichAllAreTakenEndsTheSearch) {
  env::sim::SimRandom random(7);
  int asked = 0;
  free_run_id("w-20261116-", random, [&](const std::string&) { return ++asked > 0; });
  EXPECT_LT(asked, 1000);
}

TEST(RunLinesTest, ARemindedQuestionIsShown) {
  engine::Recorded recorded;
  recorded.record.event = {workflow::event::Due{"remind"}, "approve", 1};
  recorded.record.commands = {{workflow::command::Remind{"approve.1"}}};
  ASSERT_EQ(lines_of(recorded).size(), 1U);
  EXPECT_NE(lines_of(recorded)[0].find("approve.1 still waits"), std::string::npos);
  recorded.record.commands[0].as<workflow::command::Remind>()->to = "owner";
  EXPECT_NE(lines_of(recorded)[0].find("owner is asked now"), std::string::npos);
}

}  // namespace
}  // namespace teamster::cli
