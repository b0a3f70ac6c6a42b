#include "engine/run_preparation.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace teamster::engine {
namespace {

using Words = std::vector<std::string>;

workflow::Workflow with_arguments() {
  workflow::Workflow workflow;
  workflow.name = "w";
  workflow.args = {{"spec", "", "", {}, std::nullopt}, {"kind", "", "", {}, "fast"}, {"note", "", "", {}, ""}};
  return workflow;
}

TEST(WordsOfNamedTest, AreInTheOrderOfTheWorkflow) {
  const auto words = words_of_named(with_arguments(), {.arguments = {{"note", "a=b"}, {"spec", "01"}}});
  ASSERT_TRUE(words);
  EXPECT_EQ(words->words, (Words{"01", "fast", "a=b"}));
  EXPECT_EQ(words_of_named(with_arguments(), {.arguments = {{"spec", 7}}})->words, (Words{"7", "fast", ""}))
      << "a number is a word";
}

TEST(WordsOfNamedTest, WhatIsMissingIsLeftToTheWorkflow) {
  EXPECT_EQ(words_of_named(with_arguments(), {.arguments = {{"kind", "slow"}}})->words, Words());
}

TEST(WordsOfNamedTest, WhatIsUnknownIsRefused) {
  const auto words = words_of_named(with_arguments(), {.arguments = {{"speck", "01"}}});
  ASSERT_FALSE(words);
  EXPECT_EQ(words.error().code, Code::invalid);
}

TEST(WordsOfNamedTest, TheEntryComesFirstAndSaysWhichThereAre) {
  workflow::Workflow workflow = with_arguments();
  workflow.entries = {{.name = "plan"}};
  workflow.entries[0].args = {"note", "spec"};
  EXPECT_EQ(words_of_named(workflow, {"plan", {{"spec", "01"}, {"note", "x"}}})->words, (Words{"plan", "x", "01"}));
  const auto refused = words_of_named(workflow, {"plan", {{"kind", "slow"}}});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("w plan has no argument 'kind'"), std::string::npos) << refused.error().what;
}

TEST(WordsOfNamedTest, FlagsAreTypedWhenTheyAreOn) {
  workflow::Workflow workflow = with_arguments();
  workflow.flags = {{{.name = "quick"}, ""}, {{.name = "goal"}, "TEXT"}};
  const auto typed =
      words_of_named(workflow, {.arguments = {{"spec", "01"}, {"goal", "x"}}, .flags = {{"quick", true}}});
  ASSERT_TRUE(typed) << typed.error().text();
  EXPECT_EQ(typed->flags, (TypedFlags{{"goal", "x"}, {"quick", ""}}));
  EXPECT_EQ(words_of_named(workflow, {.arguments = {{"spec", "01"}, {"quick", "false"}}})->flags, TypedFlags());
}

TEST(KeyOfRunTest, OneHomeServesManyProjects) {
  EXPECT_EQ(key_of_run("08", "/home/kim/a", ""), "08 in /home/kim/a");
  EXPECT_EQ(key_of_run("", "/home/kim/a", "w-20261116-1a2b/each/1.1"), "w-20261116-1a2b/each/1.1");
  EXPECT_EQ(key_of_run("", "/home/kim/a", ""), "");
  EXPECT_LT(key_of_run(std::string(5000, 'x'), "/p", "").size(), 200U);
}

}  // namespace
}  // namespace teamster::engine
