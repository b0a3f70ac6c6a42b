#include "workflow/core/condition.h"

#include <gtest/gtest.h>

#include "workflow/core/run_for_test.h"

namespace teamster::workflow {
namespace {

bool holds_for(const char* condition, const char* answer) {
  static const RunState kState;
  Condition sides;
  const Json written = Json::parse(condition);
  for (const auto& [field, wanted] : written.items()) sides[field] = wanted;
  return holds({kState}, sides, Json::parse(answer));
}

TEST(ConditionTest, APlainValueIsTypedEquality) {
  EXPECT_TRUE(holds_for(R"({})", R"({"ok":false})"));
  EXPECT_TRUE(holds_for(R"({"ok":true,"deep/n":1})", R"({"ok":true,"deep":{"n":1}})"));
  EXPECT_FALSE(holds_for(R"({"ok":true})", R"({"ok":"true"})"));
  EXPECT_FALSE(holds_for(R"({"ok":true,"n":1})", R"({"ok":true})")) << "all sides must hold";
  EXPECT_TRUE(holds_for(R"({"map":{"a":1}})", R"({"map":{"a":1}})")) << "a map that is no test is a value";
}

TEST(ConditionTest, TestsOfAList) {
  struct Row {
    const char* test;
    const char* list;
    bool is_so;
  };
  const std::vector<Row> rows = {
      {R"({"every":{"ok":true}})", R"([{"ok":true},{"ok":true,"x":1}])", true},
      {R"({"every":{"ok":true}})", R"([{"ok":true},{"ok":1}])", false},
      {R"({"every":{"ok":true}})", R"([])", true},
      {R"({"every":"a"})", R"(["a","a"])", true},
      {R"({"any":{"deep/n":2}})", R"([{"deep":{"n":1}},{"deep":{"n":2}}])", true},
      {R"({"any":{"ok":true}})", R"([])", false},
      {R"({"none":{"ok":false}})", R"([{"ok":true}])", true},
      {R"({"none":{"ok":false}})", R"([{"ok":true},{"ok":false}])", false},
      {R"({"count":{"ok":true},"at_least":2})", R"([{"ok":true},{"ok":true}])", true},
      {R"({"count":{"ok":true},"at_least":2})", R"([{"ok":true}])", false},
      {R"({"count":{"ok":true},"at_most":1})", R"([{"ok":true},{"ok":true}])", false},
      {R"({"count":{"ok":true},"at_least":1,"at_most":1})", R"([{"ok":true},{"ok":false}])", true},
      {R"({"count":{"ok":true},"at_least":"many"})", R"([])", true},
  };
  for (const auto& row : rows)
    EXPECT_EQ(holds_for((R"({"list":)" + std::string(row.test) + "}").c_str(),
                        (R"({"list":)" + std::string(row.list) + "}").c_str()),
              row.is_so)
        << row.test << " of " << row.list;
  for (const char* test : {R"({"every":1})", R"({"any":1})", R"({"none":1})", R"({"count":1})"}) {
    const std::string condition = R"({"list":)" + std::string(test) + "}";
    for (const char* answer : {R"({})", R"({"list":null})", R"({"list":"text"})", R"(3)"})
      EXPECT_FALSE(holds_for(condition.c_str(), answer)) << "of no list nothing holds: " << test << " of " << answer;
  }
}

TEST(ConditionTest, WhatHasChangedSinceAnotherPhase) {
  RunState state;
  state.answers["plan"].value = Json::parse(R"({"tier":"small","size":{"files":3}})");
  const auto changed = [&](const std::string& field, const std::string& since, const char* answer) {
    return holds({state}, {{field, {{"changed_since", since}}}}, Json::parse(answer));
  };
  EXPECT_FALSE(changed("tier", "plan", R"({"tier":"small"})"));
  EXPECT_TRUE(changed("tier", "plan", R"({"tier":"large"})"));
  EXPECT_TRUE(changed("tier", "plan", R"({})")) << "what is not said any more has changed";
  EXPECT_FALSE(changed("tier", "nowhere", R"({"tier":"large"})")) << "there is nothing that it could differ from";
  EXPECT_FALSE(changed("files", "plan/size/files", R"({"files":3})")) << "a field of another name";
  EXPECT_TRUE(changed("files", "plan/size/files", R"({"files":4})"));
}

TEST(ConditionTest, TheFirstSideThatDoesNotHoldIsSaid) {
  const RunState state;
  EXPECT_EQ(first_failing({state}, {{"a", 1}}, {{"a", 1}}), "");
  EXPECT_EQ(first_failing({state}, {{"a", 1}, {"b", true}}, {{"a", 1}, {"b", "no"}}),
            "b is \"no\", and should be true");
}

// A phase with items has the list `items` of what came of each, while it lasts and after it.
TEST(ConditionTest, ItemsCanBeAskedAbout) {
  Phase phase = fanout({"a", "b", "c"}, 3);
  phase.on = {way_to("fix", {{"items", Json::parse(R"({"any":{"verdict":"BAD"}})")}}),
              way_to("few", {{"items", Json::parse(R"({"count":{"passed":true},"at_most":2})")}})};
  struct Row {
    const char* second;
    bool skips;
    const char* phase;
  };
  for (const auto& row : {Row{"GOOD", false, "next"}, Row{"BAD", false, "fix"}, Row{"GOOD", true, "few"}}) {
    RunForTest run(pinned_items({phase, agent_phase("next"), agent_phase("fix"), agent_phase("few")}));
    run.start();
    run.serve();
    run.done("research/1", {{"verdict", "GOOD"}});
    run.done("research/2", {{"verdict", row.second}});
    if (row.skips) {
      run.failed("research/3", "login");
      run.done("research/3/stuck", {{"answer", "skip"}});
    } else {
      run.done("research/3", {{"verdict", "GOOD"}});
    }
    run.serve();
    EXPECT_EQ(run.state.phase, row.phase);
  }
}

}  // namespace
}  // namespace teamster::workflow
