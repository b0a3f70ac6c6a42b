#include "workflow/format/usage.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace teamster::workflow {
namespace {

TEST(Usage, ShowsNamesChoicesAndWhatMayBeLeftOut) {
  Workflow workflow;
  workflow.name = "collab";
  EXPECT_EQ(usage_line(workflow), "teamster run collab");
  workflow.args.resize(3);
  workflow.args[0].name = "topic";
  workflow.args[1].name = "action";
  workflow.args[1].choices = {"plan", "research"};
  workflow.args[2].name = "depth";
  workflow.args[2].fallback = "2";
  EXPECT_EQ(usage_line(workflow), "teamster run collab TOPIC plan|research [DEPTH]");
}

TEST(Usage, NamesTheEntries) {
  Workflow workflow;
  workflow.name = "ralph";
  workflow.args = {{.name = "spec"}, {.name = "goal", .fallback = ""}};
  workflow.entries = {{.name = "new"}, {.name = "design"}};
  EXPECT_EQ(usage_line(workflow), "teamster run ralph new|design SPEC [GOAL]");
  workflow.entries[1].args = {"spec"};
  EXPECT_EQ(usage_line(workflow), "teamster run ralph new|design …") << "they take different words";
  EXPECT_EQ(usage_line(workflow, &workflow.entries[1]), "teamster run ralph design SPEC");
}

TEST(Usage, SaysWithWhatARunWasStarted) {
  Workflow workflow;
  workflow.args = {{.name = "spec"}, {.name = "kind"}, {.name = "note"}};
  EXPECT_EQ(start_text(workflow, {.arguments = {{"note", ""}, {"kind", "slow"}, {"spec", "a b"}, {"other", 1}}}),
            "spec='a b' kind='slow' note=''");
  EXPECT_EQ(start_text(workflow, {}), "no arguments");
  EXPECT_EQ(start_text(workflow, {.entry = "design", .arguments = {{"spec", "login"}}}), "design spec='login'");
}

TEST(Usage, ShowsFlagsAndSaysWhichWereGiven) {
  Workflow workflow;
  workflow.name = "ralph";
  workflow.flags = {
      {{.name = "no-team"}, ""}, {{.name = "goal"}, "TEXT"}, {{.name = "tier", .choices = {"a", "b"}}, "T"}};
  EXPECT_EQ(usage_line(workflow), "teamster run ralph [--no-team] [--goal TEXT] [--tier a|b]");
  EXPECT_EQ(start_text(workflow, {.flags = {{"no-team", true}, {"goal", "a b"}}}), "--no-team --goal='a b'");
  EXPECT_EQ(start_text(workflow, {.flags = {{"no-team", false}}}), "no arguments");
  workflow.entries = {{.name = "new"}};
  workflow.entries[0].flags = {"goal"};
  EXPECT_EQ(usage_line(workflow, &workflow.entries[0]), "teamster run ralph new [--goal TEXT]");
}

}  // namespace
}  // namespace teamster::workflow
