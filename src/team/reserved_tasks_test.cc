#include "team/reserved_tasks.h"

#include <gtest/gtest.h>

#include "base/limits.h"
#include "team/rules_for_test.h"

namespace teamster::team {
namespace {

constexpr const char* kText = "item 2 of run x-20261118-ab12: its engine hands it out";

class ReservedTasksTest : public testing::Test {
 protected:
  ReservedTasksTest() {
    EXPECT_TRUE(rules_.call("team.create", {{"team", "alpha"}, {"members", {"builder", "tester"}}}));
  }
  ~ReservedTasksTest() override { EXPECT_TRUE(rules_.store().check(true)->empty()) << "a rebuild gives the same"; }

  std::int64_t create(bool is_reserved, Json blocked_by = Json::array()) {
    Json args = {{"team", "alpha"}, {"subject", "work"}, {"blocked_by", std::move(blocked_by)}};
    if (is_reserved) args["reserved"] = kText;
    return rules_.call("task.create", args)->at("task").at("id");
  }
  Result<Json> claim(const std::string& member, std::int64_t id = 0) {
    Json args = {{"team", "alpha"}, {"member", member}};
    if (id != 0) args["id"] = id;
    return task_of(rules_.call("task.claim", args));
  }
  Result<Json> give(const std::string& member, std::int64_t id) {
    return task_of(rules_.call("task.claim", {{"team", "alpha"}, {"member", member}, {"id", id}, {"reserved", true}}));
  }
  Result<Json> change(std::int64_t id, Json changes) {
    changes.update({{"team", "alpha"}, {"id", id}, {"reserved", true}});
    return task_of(rules_.call("task.update", changes));
  }
  static Result<Json> task_of(const Result<Json>& answer) {
    if (!answer) return fail(answer.error());
    return answer->at("task");
  }
  Json get(std::int64_t id) { return rules_.call("task.get", {{"team", "alpha"}, {"id", id}})->at("task"); }
  Actor builder() { return rules_.member("alpha", "builder"); }
  // The newest events, oldest first.
  std::vector<store::Event> newest(std::int64_t count) {
    return rules_.store().events({.after = Seq(rules_.store().next_seq().value - 1 - count), .limit = 100})->events;
  }

  Rules rules_;
};

TEST_F(ReservedTasksTest, IsShownWithWhoHandsItOut) {
  const auto id = create(true);
  EXPECT_EQ(get(id)["reserved"], kText);
  EXPECT_TRUE(get(create(false))["reserved"].is_null());
  const Json listed = rules_.call("task.list", {{"team", "alpha"}})->at("tasks");
  ASSERT_EQ(listed.size(), 2U);
  EXPECT_EQ(listed[0]["reserved"], kText);
  EXPECT_TRUE(listed[1]["reserved"].is_null());
}

TEST_F(ReservedTasksTest, OnlyTheOperatorReserves) {
  const Json args = {{"subject", "mine"}, {"reserved", "because"}};
  const auto refused = rules_.call_as(builder(), "task.create", args);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::refused);
  EXPECT_EQ(refused.error().what, "member builder cannot reserve a task: that is the operator's");
  EXPECT_TRUE(rules_.call_as(builder(), "task.create", {{"subject", "mine"}})->at("task").at("reserved").is_null());
  const auto create_with = [&](const Json& reserved) {
    return rules_.call("task.create", {{"team", "alpha"}, {"subject", "s"}, {"reserved", reserved}}).error();
  };
  EXPECT_EQ(create_with("  ").what, "'reserved' is empty");
  EXPECT_EQ(create_with(std::string(limits::kReservedMaxBytes + 1, 'x')).what,
            "'reserved' has 513 bytes, the limit is 512");
  EXPECT_EQ(create_with(true).code, Code::invalid);
}

TEST_F(ReservedTasksTest, NobodyGetsOneWithoutAskingForIt) {
  create(true);
  EXPECT_TRUE(claim("builder")->is_null());
  EXPECT_TRUE(rules_.would_wait);
  create(true);  // also not when what is free is already remembered
  EXPECT_TRUE(claim("builder")->is_null());
  const auto free = create(false);
  EXPECT_EQ((*claim("builder"))["id"], free);
  ASSERT_TRUE(give("tester", 1));
  ASSERT_TRUE(change(1, {{"status", "pending"}}));
  EXPECT_TRUE(claim("builder")->is_null());
}

TEST_F(ReservedTasksTest, AClaimByNumberIsRefusedWithTheReason) {
  const auto id = create(true);
  for (const auto& refused :
       {claim("builder", id), task_of(rules_.call_as(builder(), "task.claim", Json{{"id", id}}))}) {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::refused);
    EXPECT_EQ(refused.error().what, std::string("task 1 is reserved: ") + kText);
    EXPECT_EQ(refused.error().next, "It is given to you with your prompt; claim another, or none");
  }
  const auto forged = rules_.call_as(builder(), "task.claim", {{"id", id}, {"reserved", true}});
  ASSERT_FALSE(forged);
  EXPECT_EQ(forged.error().what, "reserved tasks are the operator's to give, not member builder's");
  // Nor does it get the token of what was given to it.
  ASSERT_TRUE(give("builder", id));
  EXPECT_FALSE(claim("builder", id));
}

TEST_F(ReservedTasksTest, TheOperatorGivesOneToALiveMember) {
  const auto id = create(true);
  const Json given = *give("builder", id);
  EXPECT_EQ(given["owner"], "builder");
  EXPECT_EQ(given["status"], "in_progress");
  EXPECT_EQ(given["reserved"], kText);
  const auto before = rules_.store().next_seq();
  EXPECT_EQ((*give("builder", id))["token"], given["token"]);
  EXPECT_EQ(rules_.store().next_seq(), before) << "given again to who has it, nothing happens";
  EXPECT_EQ(give("nobody", id).error().code, Code::refused);
  ASSERT_TRUE(rules_.call("team.leave", {{"team", "alpha"}, {"member", "tester"}}));
  EXPECT_EQ(give("tester", id).error().code, Code::refused);
  EXPECT_EQ(get(id)["owner"], "builder");
}

TEST_F(ReservedTasksTest, OneThatIsHeldMoves) {
  const auto id = create(true);
  const Json first = *give("builder", id);
  const Json second = *give("tester", id);
  EXPECT_EQ(second["owner"], "tester");
  EXPECT_NE(second["token"], first["token"]);
  const auto recorded = newest(2);
  ASSERT_EQ(recorded.size(), 2U);
  EXPECT_EQ(recorded[0].kind, kind::kTaskReleased);
  EXPECT_EQ(recorded[0].body, Json({{"ids", {id}}, {"member", "builder"}, {"reason", "given to tester"}}));
  EXPECT_EQ(recorded[1].kind, kind::kTaskClaimed);
  EXPECT_EQ(recorded[1].body["member"], "tester");
}

TEST_F(ReservedTasksTest, OnlyReservedOnesAreGivenOrChangedSo) {
  const auto id = create(false);
  EXPECT_EQ(give("builder", id).error().what, "task 1 is not reserved");
  EXPECT_EQ(change(id, {{"status", "deleted"}}).error().what, "task 1 is not reserved");
  EXPECT_EQ(rules_.call("task.claim", {{"team", "alpha"}, {"member", "builder"}, {"reserved", true}}).error().what,
            "no task is named");
  EXPECT_EQ(rules_.call("task.update", {{"team", "alpha"}, {"id", id}, {"why", "x"}}).error().what,
            "'why' is for reserved tasks");
}

TEST_F(ReservedTasksTest, MembersChangeNothingOfIt) {
  const auto id = create(true);
  const Json given = *give("builder", id);
  const std::vector<Json> changes = {{{"status", "completed"}, {"token", given["token"]}},
                                     {{"status", "failed"}},
                                     {{"metadata", {{"a", 1}}}, {"token", given["token"]}},
                                     {{"subject", "mine"}},
                                     {{"add_blocked_by", {1}}}};
  for (Json args : changes) {
    args["id"] = id;
    const auto refused = rules_.call_as(builder(), "task.update", args);
    ASSERT_FALSE(refused) << args;
    EXPECT_EQ(refused.error().code, Code::refused);
    EXPECT_EQ(refused.error().what, std::string("task 1 is reserved: ") + kText);
    EXPECT_EQ(refused.error().next, "Hand in your result as you were asked to; the task follows it by itself");
    args["team"] = "alpha";
    EXPECT_FALSE(rules_.call("task.update", args)) << "nor does the operator by mistake";
    args["reserved"] = true;
    args.erase("team");
    EXPECT_FALSE(rules_.call_as(builder(), "task.update", args)) << args;
  }
  EXPECT_EQ(get(id)["status"], "in_progress");
  EXPECT_EQ(get(id)["metadata"], Json::object());
}

TEST_F(ReservedTasksTest, TheOperatorMovesItFromAnyStatusToAnyOther) {
  const std::vector<std::string> all = {"pending", "completed", "failed", "deleted"};
  for (const std::string from : {"pending", "in_progress", "completed", "failed"}) {
    for (const auto& to : all) {
      const auto id = create(true);
      if (from == "in_progress") {
        ASSERT_TRUE(give("builder", id));
      } else if (from != "pending") {
        ASSERT_TRUE(change(id, {{"status", from}}));
      }
      const auto moved = change(id, {{"status", to}, {"why", "so it is"}});
      ASSERT_TRUE(moved) << from << " to " << to << ": " << moved.error().what;
      EXPECT_EQ((*moved)["status"], to);
      EXPECT_EQ((*moved)["metadata"], Json({{"why", "so it is"}}));
      if (to == "pending") {
        EXPECT_TRUE((*moved)["owner"].is_null());
      }
    }
  }
  const auto id = create(true);
  EXPECT_EQ(change(id, {{"status", "in_progress"}}).error().next,
            "Claim it for a member; a task in progress has an owner");
  ASSERT_TRUE(change(id, {{"status", "deleted"}}));
  for (const auto& to : all) EXPECT_EQ(change(id, {{"status", to}}).error().code, Code::refused) << to;
}

TEST_F(ReservedTasksTest, BlocksAndIsBlocked) {
  const auto first = create(false);
  const auto reserved = create(true, {first});
  const auto last = create(false, {reserved});
  EXPECT_EQ(give("builder", reserved).error().what, "task 2 waits for 1");
  const Json held = *claim("builder");
  ASSERT_EQ(held["id"], first);
  ASSERT_TRUE(rules_.call("task.update",
                          {{"team", "alpha"}, {"id", first}, {"token", held["token"]}, {"status", "completed"}}));
  EXPECT_TRUE(claim("tester")->is_null());
  ASSERT_TRUE(give("builder", reserved));
  ASSERT_TRUE(change(reserved, {{"status", "completed"}}));
  EXPECT_EQ((*claim("tester"))["id"], last);
}

// It is the only kind of task that a completed status can be taken from.
TEST_F(ReservedTasksTest, WhatWaitsForOneThatIsTakenUpAgainWaitsAgain) {
  const auto reserved = create(true);
  const auto waiting = create(false, {reserved});
  ASSERT_TRUE(change(reserved, {{"status", "completed"}}));
  EXPECT_EQ(get(waiting)["waiting_for"], Json::array());
  for (const char* status : {"pending", "failed"}) {
    ASSERT_TRUE(change(reserved, {{"status", status}}));
    EXPECT_EQ(get(waiting)["waiting_for"], Json({reserved}));
    EXPECT_TRUE(claim("builder")->is_null());
  }
  ASSERT_TRUE(change(reserved, {{"status", "completed"}}));
  ASSERT_TRUE(change(reserved, {{"status", "deleted"}}));
  EXPECT_EQ((*claim("builder"))["id"], waiting) << "a deleted one blocks nobody, and counts once";
}

TEST_F(ReservedTasksTest, OneThatIsHeldIsNotGivenOnWhileItWaitsAgain) {
  const auto blocker = create(true);
  const auto blocked = create(true, {blocker});
  ASSERT_TRUE(change(blocker, {{"status", "completed"}}));
  ASSERT_TRUE(give("builder", blocked));
  ASSERT_TRUE(change(blocker, {{"status", "pending"}}));
  EXPECT_EQ(give("tester", blocked).error().what, "task 2 waits for 1");
  EXPECT_EQ(get(blocked)["owner"], "builder");
}

TEST_F(ReservedTasksTest, IsReleasedWithItsOwnersEpoch) {
  const auto id = create(true);
  ASSERT_TRUE(give("builder", id));
  EXPECT_EQ(rules_.call("team.leave", {{"team", "alpha"}, {"member", "builder"}})->at("released"), Json({id}));
  EXPECT_EQ(get(id)["status"], "pending");
  EXPECT_TRUE(get(id)["owner"].is_null());
  EXPECT_TRUE(claim("tester")->is_null()) << "free for its engine alone";
  EXPECT_EQ((*give("tester", id))["owner"], "tester");
}

TEST_F(ReservedTasksTest, ATeamHasOnePermanentTask) {
  const auto make = [&](const std::string& subject) {
    return rules_.call("task.create", {{"team", "alpha"}, {"subject", subject}});
  };
  const auto first = make("[PERMANENT] ship it");
  ASSERT_TRUE(first);
  const auto second = make("[PERMANENT] ship it better");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::refused);
  EXPECT_EQ(second.error().what, "task 1 is the permanent task of this team, and there is only one");
  EXPECT_TRUE(make("about [PERMANENT] things"));
  ASSERT_TRUE(rules_.call("task.update", {{"team", "alpha"}, {"id", 1}, {"status", "deleted"}}));
  EXPECT_TRUE(make("[PERMANENT] another"));
}

}  // namespace
}  // namespace teamster::team
