// What users set: how agents and times of the workflow are from the start or from some point on, flags, and a budget
// that is said anew.
#include <gtest/gtest.h>

#include "workflow/core/run_for_test.h"

namespace teamster::workflow {
namespace {

using namespace std::chrono_literals;

Pinned with_budget() {
  Pinned pinned = pinned_for_test({agent_phase("plan"), agent_phase("build")});
  pinned.workflow.phases[1].limit = 5min;
  pinned.workflow.budget.turns = 1;
  return pinned;
}

std::int64_t limit_of(const RunForTest& run, const std::string& step) {
  return run.open_fields(step).value("limit_ms", std::int64_t{0});
}

Json used() { return {{"usage", {{"input_tokens", 10}, {"output_tokens", 1}}}}; }

TEST(AdjustingTest, WhatIsSetAtTheStartHolds) {
  RunForTest run(with_budget());
  run.start({{"configuration", {{"phases.plan.limit", "7m"}}}});
  EXPECT_EQ(limit_of(run, "plan"), 420000);
}

TEST(AdjustingTest, WhatIsSetLaterHoldsFromThenOn) {
  Pinned pinned = with_budget();
  pinned.workflow.budget.turns.reset();
  RunForTest run(pinned);
  run.start({{"values", {{"test", "make"}, {"other", "x"}}}});
  run.happens({event::Adjusted{.configuration = {{"phases.build.limit", "1h"}}, .values = {{"test", "make all"}}}});
  EXPECT_EQ(run.decided(), "") << "nothing begins by it";
  EXPECT_EQ(run.state.values, (Json{{"test", "make all"}, {"other", "x"}}));
  run.done("plan");
  EXPECT_EQ(limit_of(run, "build"), 3600000);
}

TEST(AdjustingTest, ABudgetThatIsNotSpentAnyMoreSettlesItsQuestion) {
  RunForTest run(with_budget());
  run.start();
  run.done("plan", Json::object(), used());
  ASSERT_EQ(run.open_ids(), ids({"build/budget.1"})) << run.decided();
  run.happens({event::Adjusted{.budget = {{"usd", 1000.0}}}});
  EXPECT_EQ(run.open_ids(), ids({"build/budget.1"})) << "that was not the one that is spent";
  run.happens({event::Adjusted{.budget = {{"turns", 2}}, .spoken = {.by = "kim"}}});
  EXPECT_EQ(run.open_ids(), ids({"build.1"})) << run.decided();
  run.done("build", Json::object(), used());
  EXPECT_EQ(run.state.ending, "done");
}

TEST(AdjustingTest, ABudgetIsSaidAnewAndNotRaisedOnceMore) {
  RunForTest run(with_budget());
  run.start();
  run.done("plan", Json::object(), used());
  run.done("build/budget", {{"answer", "raise"}, {"by", "kim"}});
  ASSERT_EQ(run.state.raised.count("run"), 1U) << run.decided();
  run.happens({event::Adjusted{.budget = {{"turns", 1}}}});
  EXPECT_EQ(run.state.raised.count("run"), 0U);
  const Budget budget = budget_of(with_budget().workflow, run.state);
  EXPECT_EQ(budget.turns, 1);
}

TEST(AdjustingTest, AfterTheEndItHasNoEffect) {
  RunForTest run(with_budget());
  run.start();
  run.happens({event::CancelAsked{}});
  run.happens({event::Adjusted{.budget = {{"turns", 9}}}});
  run.finish();
  EXPECT_EQ(run.state.status, "cancelled");
}

TEST(FlagTest, AreSourcesAndSwitchesAreNoTexts) {
  Pinned pinned = pinned_for_test({agent_phase("plan"), agent_phase("build")});
  pinned.workflow.flags = {{{.name = "quick"}, ""}, {{.name = "goal"}, "TEXT"}};
  pinned.workflow.phases[0].only = {{"flags/quick", false}};
  pinned.bundle["say.md"] = "Do {{GOAL}}.";
  Input goal;
  goal.name = "GOAL";
  goal.sources = {{.kind = Source::Kind::flag, .name = "goal", .path = {}, .where = {}}};
  goal.fallback = "all";
  pinned.workflow.inputs["GOAL"] = goal;
  RunForTest run(pinned);
  run.start({{"flags", {{"quick", true}, {"goal", "a goal"}}}});
  EXPECT_EQ(run.open_ids(), ids({"build.1"})) << "planning is skipped";
  EXPECT_NE(run.said("build").find("a goal"), std::string::npos) << run.said("build");
  EXPECT_NE(run.said("build").find("the flag --goal"), std::string::npos) << "whose words it is";
}

}  // namespace
}  // namespace teamster::workflow
