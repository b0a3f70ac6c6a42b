#include "cli/framework/workflow_words.h"

#include <gtest/gtest.h>

#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "workflow/format/usage.h"

namespace teamster::cli {
namespace {

using Words = std::vector<std::string>;

workflow::Workflow with_flags() {
  workflow::Workflow workflow;
  workflow.name = "ralph";
  workflow.flags = {{{.name = "no-team"}, ""}, {{.name = "goal"}, "TEXT"}};
  return workflow;
}

// As the program does: the command takes its own flags, and passes the rest on.
Result<WorkflowWords> read(const Words& words) {
  const Command command = commands::run_workflow();
  const auto arguments = Arguments::parse(command, words, false);
  if (!arguments) return fail(arguments.error());
  return WorkflowWords::read(with_flags(), command, arguments->values("ARGUMENT"));
}

std::string complaint(const Words& words) {
  const auto outcome = read(words);
  return outcome ? "" : outcome.error().text();
}

TEST(WorkflowWordsTest, FlagsStandAnywhereBehindTheName) {
  const auto found = read({"ralph", "--no-team", "new", "--goal", "a goal", "--detach", "login"});
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->words, (Words{"new", "login"}));
  EXPECT_EQ(found->flags, (engine::TypedFlags{{"no-team", ""}, {"goal", "a goal"}}));
  EXPECT_EQ(read({"ralph", "--goal=--x", "new"})->flags.at("goal"), "--x");
}

TEST(WorkflowWordsTest, TwoDashesEndThem) {
  const auto found = read({"ralph", "--no-team", "--", "--goal", "-"});
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->words, (Words{"--goal", "-"}));
  EXPECT_EQ(found->flags.size(), 1U);
}

TEST(WorkflowWordsTest, WhatIsUnknownIsRefusedWithWhatWasMeant) {
  EXPECT_NE(complaint({"ralph", "--no-taem"}).find("did you mean --no-team?"), std::string::npos);
  EXPECT_NE(complaint({"ralph", "--detatch"}).find("did you mean --detach?"), std::string::npos);
  EXPECT_NE(complaint({"ralph", "-x"}).find("has a flag '-x'"), std::string::npos);
  EXPECT_NE(complaint({"ralph", "--zzzzzzz"}).find("[--no-team] [--goal TEXT]"), std::string::npos);
  EXPECT_NE(complaint({"--no-team", "ralph"}).find("unknown flag"), std::string::npos) << "whose would it be?";
}

TEST(WorkflowWordsTest, ASwitchTakesNoValueAndAValueIsNeeded) {
  EXPECT_NE(complaint({"ralph", "--no-team=yes"}).find("--no-team takes no value"), std::string::npos);
  EXPECT_NE(complaint({"ralph", "--goal"}).find("--goal needs a value, TEXT"), std::string::npos);
  EXPECT_NE(complaint({"ralph", "--goal", "--no-team"}).find("--goal needs a value"), std::string::npos);
  EXPECT_NE(complaint({"ralph", "--no-team", "--no-team"}).find("given twice"), std::string::npos);
}

TEST(WorkflowWordsTest, TheSameWordsStartTheCommandAgain) {
  const Command command = commands::run_workflow();
  const Words words = {"ralph", "new", "--detach", "--goal", "x", "--", "--weird"};
  const auto arguments = Arguments::parse(command, words, false);
  ASSERT_TRUE(arguments);
  const auto again = Arguments::parse(command, arguments->words_without("detach"), false);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->values("ARGUMENT"), (Words{"new", "--goal", "x", "--", "--weird"}));
  EXPECT_FALSE(again->has("detach"));
}

// What a workflow cannot name, because the command takes it first.
TEST(WorkflowWordsTest, FlagsOfTheCommandsAreTaken) {
  std::set<std::string> own;
  for (const auto& command : {commands::run_workflow(), commands::rehearse()})
    for (const auto& flag : all_flags(command)) own.insert(flag.name);
  own.insert("help");
  const auto& taken = workflow::taken_flags();
  EXPECT_EQ(own, std::set<std::string>(taken.begin(), taken.end()));
}

}  // namespace
}  // namespace teamster::cli
