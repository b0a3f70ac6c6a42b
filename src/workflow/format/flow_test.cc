#include "workflow/format/flow.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace teamster::workflow {
namespace {

Phase phase(const std::string& id, std::vector<Way> on = {}) {
  Phase one;
  one.id = id;
  one.on = std::move(on);
  return one;
}

Way way(const std::string& target, Condition when = {}, const std::string& loop = "") {
  Way one;
  one.target = target;
  one.when = std::move(when);
  one.loop = loop;
  return one;
}

std::string drawn(const Workflow& workflow) {
  std::string text;
  const Flow flow(workflow);
  for (const auto& step : flow.steps())
    text += std::to_string(step.from) + ">" + std::to_string(step.to) + "wnaps"[static_cast<int>(step.kind)] + " ";
  return text;
}

const Condition kIfFalse{{"ok", false}};

TEST(Flow, FollowsTheListAndTheWays) {
  Workflow workflow;
  workflow.phases = {phase("a"), phase("b", {way("a", kIfFalse)}), phase("c", {way("a")})};
  EXPECT_EQ(drawn(workflow), "0>1n 1>0w 1>2n 2>0w ");
}

TEST(Flow, LeadsFromALoopThatAcceptsToTheNext) {
  Workflow workflow;
  workflow.loops["l"] = {.name = "l", .max = 1, .then = Loop::Then::accept, .counts = ""};
  workflow.phases = {phase("a"), phase("b", {way("a", {}, "l")}), phase("c")};
  EXPECT_EQ(drawn(workflow), "0>1n 1>0w 1>2a 2>3n ");
}

TEST(Flow, LeadsFromALoopThatIsSpentToItsTarget) {
  Workflow workflow;
  workflow.loops["l"] = {.name = "l", .max = 1, .then = Loop::Then::go, .target = "a"};
  workflow.phases = {phase("a"), phase("b", {way("b", {}, "l")}), phase("c")};
  EXPECT_EQ(drawn(workflow), "0>1n 1>1w 1>0p 2>3n ");
}

TEST(Flow, OfAPhaseWithoutAnIdIsNotMeantByAnEmptyName) {
  Workflow workflow;
  workflow.phases = {phase(""), phase("b", {way("")})};
  EXPECT_EQ(Flow(workflow).index_of(""), std::nullopt);
  EXPECT_EQ(drawn(workflow), "0>1n ");
}

TEST(Flow, SkipsAndEndsAndIgnoresWhatIsNotThere) {
  Workflow workflow;
  Way done;
  done.end = Way::End::done;
  workflow.phases = {phase("a", {way("nowhere", kIfFalse)}), phase("b", {done})};
  workflow.phases[0].only = {{"args/x", "y"}};
  EXPECT_EQ(drawn(workflow), "0>1s 0>1n 1>2w ");
}

TEST(Flow, TriesWaysForAllBeforeThePhasesOwn) {
  Workflow workflow;
  workflow.always = {way("b", kIfFalse)};
  workflow.phases = {phase("a", {way("a")}), phase("b")};
  EXPECT_EQ(drawn(workflow), "0>1w 0>0w 1>1w 1>2n ");
}

TEST(Flow, KnowsWhatCanBeReachedAndWithoutWhat) {
  Workflow workflow;
  workflow.phases = {phase("a"), phase("b", {way("a", kIfFalse)}), phase("c", {way("b")}), phase("d")};
  const Flow flow(workflow);
  EXPECT_EQ(flow.reachable(), (std::vector<bool>{true, true, true, false, false}));
  EXPECT_EQ(flow.reachable(1), (std::vector<bool>{true, false, false, false, false}));
  EXPECT_TRUE(flow.reaches(2, 0));
  EXPECT_TRUE(flow.reaches(0, 0));
  EXPECT_FALSE(flow.reaches(2, 0, 1));
  EXPECT_FALSE(flow.reaches(0, 3));
  EXPECT_EQ(flow.index_of("c"), 2U);
  EXPECT_EQ(flow.index_of(""), std::nullopt);
}

TEST(Flow, EndsWhereAnEntryDoes) {
  Workflow workflow;
  workflow.phases = {phase("a"), phase("b", {way("a", kIfFalse)}), phase("c"), phase("d")};
  workflow.entries = {{.name = "begin", .to = "b"}, {.name = "rest", .from = "c"}};
  const Flow flow(workflow);
  ASSERT_EQ(flow.routes().size(), 2U);
  EXPECT_EQ(flow.reachable(flow.routes()[0]), (std::vector<bool>{true, true, false, false, true}));
  EXPECT_EQ(flow.reachable(flow.routes()[1]), (std::vector<bool>{false, false, true, true, true}));
  EXPECT_EQ(flow.reachable(), (std::vector<bool>{true, true, true, true, true}));
  EXPECT_TRUE(flow.reaches(1, 2)) << "the list goes on";
  EXPECT_FALSE(flow.reaches(flow.routes()[0], 1, 2)) << "but not by this entry";
  EXPECT_TRUE(flow.reaches(flow.routes()[0], 1, 0));
}

TEST(Flow, HasOneRouteWithoutEntries) {
  Workflow workflow;
  workflow.phases = {phase("a"), phase("b")};
  const Flow flow(workflow);
  ASSERT_EQ(flow.routes().size(), 1U);
  EXPECT_EQ(flow.routes()[0].entry, "");
  EXPECT_EQ(flow.routes()[0].last, 1U);
}

TEST(Flow, OfNothingIsNothing) {
  const Workflow workflow;
  EXPECT_TRUE(Flow(workflow).steps().empty());
  EXPECT_EQ(Flow(workflow).reachable(), std::vector<bool>{false});
}

}  // namespace
}  // namespace teamster::workflow
