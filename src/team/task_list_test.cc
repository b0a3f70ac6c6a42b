#include "team/task_list.h"

#include <gtest/gtest.h>

#include "team/rules_for_test.h"

namespace teamster::team {
namespace {

class TaskListTest : public testing::Test {
 protected:
  TaskListTest() { EXPECT_TRUE(rules_.call("team.create", {{"team", "alpha"}, {"members", {"builder", "tester"}}})); }
  ~TaskListTest() override { EXPECT_TRUE(rules_.store().check(true)->empty()); }

  std::int64_t create(const std::string& subject, Json blocked_by = Json::array()) {
    return rules_.call("task.create", {{"team", "alpha"}, {"subject", subject}, {"blocked_by", std::move(blocked_by)}})
        ->at("task")
        .at("id");
  }
  Result<Json> claim(const std::string& member, std::int64_t id = 0) {
    Json args = {{"team", "alpha"}, {"member", member}};
    if (id != 0) args["id"] = id;
    auto answer = rules_.call("task.claim", args);
    if (!answer) return fail(answer.error());
    return answer->at("task");
  }
  Result<Json> update(std::int64_t id, Json changes) {
    changes.update({{"team", "alpha"}, {"id", id}});
    auto answer = rules_.call("task.update", changes);
    if (!answer) return fail(answer.error());
    return answer->at("task");
  }
  Json get(std::int64_t id) { return rules_.call("task.get", {{"team", "alpha"}, {"id", id}})->at("task"); }
  void complete(const std::string& member, std::int64_t id) {
    const Json task = *claim(member, id);
    ASSERT_TRUE(update(id, {{"status", "completed"}, {"token", task["token"]}}));
  }

  Rules rules_;
};

TEST_F(TaskListTest, NumbersStartAtOneInEachTeam) {
  EXPECT_EQ(create("first"), 1);
  EXPECT_EQ(create("second"), 2);
  ASSERT_TRUE(rules_.call("team.create", {{"team", "beta"}, {"members", {"x"}}}));
  EXPECT_EQ(rules_.call("task.create", {{"team", "beta"}, {"subject", "first"}})->at("task").at("id"), 1);
}

TEST_F(TaskListTest, AClaimHasOneWinnerAndAToken) {
  const auto id = create("work");
  const Json task = *claim("builder");
  EXPECT_EQ(task["id"], id);
  EXPECT_EQ(task["owner"], "builder");
  EXPECT_EQ(task["status"], "in_progress");
  EXPECT_TRUE(claim("tester")->is_null());
  EXPECT_TRUE(rules_.would_wait);
  EXPECT_EQ(claim("tester", id).error().what, "task 1 is claimed by builder");
  EXPECT_EQ((*claim("builder", id))["token"], task["token"]);  // its own again
  EXPECT_FALSE(get(id).contains("token"));
}

TEST_F(TaskListTest, UpdatesOfAClaimedTaskNeedItsToken) {
  const auto id = create("work");
  const Json task = *claim("builder");
  EXPECT_EQ(update(id, {{"status", "completed"}}).error().code, Code::refused);
  EXPECT_EQ(update(id, {{"status", "completed"}, {"token", "c1-guess"}}).error().code, Code::refused);
  EXPECT_EQ((*update(id, {{"status", "completed"}, {"token", task["token"]}}))["status"], "completed");
  EXPECT_EQ(get(id)["owner"], "builder");
  EXPECT_EQ(update(id, {{"status", "pending"}}).error().code, Code::refused);
  EXPECT_EQ(update(id, {{"status", "failed"}, {"token", task["token"]}}).error().code, Code::refused);
}

TEST_F(TaskListTest, BlockedTasksWaitForTheirBlockers) {
  const auto a = create("a");
  const auto b = create("b");
  const auto c = create("c", {a, b});
  EXPECT_EQ(get(c)["waiting_for"], Json({a, b}));
  EXPECT_EQ(get(a)["blocks"], Json({c}));
  EXPECT_EQ(claim("builder", c).error().what, "task 3 waits for 1, 2");
  complete("builder", a);
  EXPECT_EQ(get(c)["waiting_for"], Json({b}));
  const Json taken = *claim("builder");
  EXPECT_EQ(taken["id"], b);
  EXPECT_TRUE(claim("tester")->is_null());
  ASSERT_TRUE(update(b, {{"status", "failed"}, {"token", taken["token"]}}));
  EXPECT_TRUE(claim("tester")->is_null());  // failed is not completed
  ASSERT_TRUE(update(b, {{"status", "pending"}}));
  complete("tester", b);
  EXPECT_EQ((*claim("tester"))["id"], c);
}

TEST_F(TaskListTest, ADeletedTaskBlocksNobody) {
  const auto a = create("a");
  const auto b = create("b", {a});
  ASSERT_TRUE(update(a, {{"status", "deleted"}}));
  EXPECT_EQ((*claim("builder"))["id"], b);
  EXPECT_EQ(rules_.call("task.create", {{"team", "alpha"}, {"subject", "c"}, {"blocked_by", {a}}}).error().code,
            Code::refused);
  EXPECT_EQ(rules_.call("task.list", {{"team", "alpha"}})->at("tasks").size(), 1U);
  EXPECT_EQ(rules_.call("task.list", {{"team", "alpha"}, {"status", "deleted"}})->at("tasks").size(), 1U);
}

TEST_F(TaskListTest, CyclesAreRefusedByName) {
  const auto a = create("a");
  const auto b = create("b", {a});
  const auto c = create("c", {b});
  const auto cycle = update(a, {{"add_blocked_by", {c}}});
  ASSERT_FALSE(cycle);
  EXPECT_EQ(cycle.error().code, Code::refused);
  EXPECT_NE(cycle.error().what.find("1 waits for 2 waits for 3 waits for 1"), std::string::npos) << cycle.error().what;
  EXPECT_EQ(update(a, {{"add_blocked_by", {a}}}).error().code, Code::refused);
  EXPECT_TRUE(update(c, {{"add_blocked_by", {a}}}));
  EXPECT_EQ(get(c)["blocked_by"], Json({a, b}));
}

TEST_F(TaskListTest, AnEndedEpochReleasesItsClaims) {
  const auto id = create("work");
  const Json old = *claim("builder");
  ASSERT_TRUE(rules_.call("team.join", {{"team", "alpha"}, {"member", "builder"}}));
  EXPECT_EQ(get(id)["status"], "pending");
  EXPECT_TRUE(get(id)["owner"].is_null());
  EXPECT_EQ(update(id, {{"status", "completed"}, {"token", old["token"]}}).error().code, Code::refused);
  const Json next = *claim("tester");
  EXPECT_EQ(update(id, {{"status", "completed"}, {"token", old["token"]}}).error().code, Code::refused);
  const Json left = *rules_.call("team.leave", {{"team", "alpha"}, {"member", "tester"}});
  EXPECT_EQ(left["released"], Json({id}));
  EXPECT_EQ(claim("tester").error().code, Code::refused);
  EXPECT_NE(next["token"], old["token"]);
}

TEST_F(TaskListTest, MetadataIsMerged) {
  const auto id = create("work");
  ASSERT_TRUE(update(id, {{"metadata", {{"a", 1}, {"b", {{"c", 2}}}}}}));
  ASSERT_TRUE(update(id, {{"metadata", {{"a", nullptr}, {"b", {{"d", 3}}}}}, {"subject", "other"}}));
  EXPECT_EQ(get(id)["metadata"], Json({{"b", {{"c", 2}, {"d", 3}}}}));
  EXPECT_EQ(get(id)["subject"], "other");
}

TEST_F(TaskListTest, BadInputNamesTheThing) {
  const auto create_with = [&](Json args) {
    args["team"] = "alpha";
    return rules_.call("task.create", args).error().what;
  };
  EXPECT_EQ(create_with({{"subject", "  "}}), "the subject of a task is empty");
  EXPECT_EQ(create_with({}), "field 'subject' is missing, expected a string");
  EXPECT_EQ(create_with({{"subject", "x"}, {"blocked_by", {7}}}), "team alpha has no task 7");
  EXPECT_EQ(create_with({{"subject", "x"}, {"blocked_by", "7"}}),
            "'blocked_by' is not a list of at most 1024 task numbers");
  EXPECT_EQ(create_with({{"subject", "x"}, {"metadata", 5}}), "'metadata' is not a JSON object");
  EXPECT_EQ(create_with({{"subject", std::string(5000, 'x')}}), "the subject has 5000 bytes, the limit is 4096");
  EXPECT_EQ(rules_.call("task.get", {{"team", "alpha"}, {"id", 99}}).error().code, Code::not_found);
  const auto id = create("x");
  EXPECT_EQ(update(id, {{"status", "done"}}).error().code, Code::invalid);
  EXPECT_EQ(update(id, {{"status", "completed"}}).error().next, "Claim it first with `teamster task claim`");
}

TEST_F(TaskListTest, ListsInPages) {
  for (int i = 0; i < 7; ++i) create("t" + std::to_string(i));
  const Json first = *rules_.call("task.list", {{"team", "alpha"}, {"limit", 5}});
  EXPECT_EQ(first["tasks"].size(), 5U);
  EXPECT_EQ(first["next"], 5);
  const Json rest = *rules_.call("task.list", {{"team", "alpha"}, {"limit", 5}, {"after", first["next"]}});
  EXPECT_EQ(rest["tasks"].size(), 2U);
  EXPECT_TRUE(rest["next"].is_null());
  ASSERT_TRUE(claim("builder"));
  EXPECT_EQ(rules_.call("task.list", {{"team", "alpha"}, {"owner", "builder"}})->at("tasks").size(), 1U);
}

// What is free is remembered from the first claim on; everything that changes it must be seen.
TEST_F(TaskListTest, TheNextFreeTaskIsTheLowestWhateverHappensBetweenClaims) {
  for (int i = 1; i <= 6; ++i) create("task");
  EXPECT_EQ((*claim("builder"))["id"], 1);
  ASSERT_TRUE(update(2, {{"add_blocked_by", {3}}}));
  const Json third = *claim("builder");
  EXPECT_EQ(third["id"], 3);
  ASSERT_TRUE(update(4, {{"status", "deleted"}}));
  EXPECT_EQ((*claim("tester"))["id"], 5);
  ASSERT_TRUE(update(3, {{"status", "completed"}, {"token", third["token"]}}));
  EXPECT_EQ((*claim("tester"))["id"], 2);
  ASSERT_TRUE(rules_.call("team.leave", {{"team", "alpha"}, {"member", "tester"}}));
  EXPECT_EQ((*claim("builder"))["id"], 2);
  EXPECT_EQ((*claim("builder"))["id"], 5);
  EXPECT_EQ((*claim("builder"))["id"], 6);
  EXPECT_TRUE(claim("builder")->is_null());
  EXPECT_EQ(create("blocked", {1}), 7);
  EXPECT_TRUE(claim("builder")->is_null());
  EXPECT_EQ(create("new"), 8);
  EXPECT_EQ((*claim("builder"))["id"], 8);
}

TEST_F(TaskListTest, AThousandTasksAreClaimedInTheirOrder) {
  for (int i = 1; i <= 1000; ++i) create("task");
  for (int i = 1; i <= 1000; ++i) ASSERT_EQ((*claim("builder"))["id"], i);
  EXPECT_TRUE(claim("builder")->is_null());
}

}  // namespace
}  // namespace teamster::team
