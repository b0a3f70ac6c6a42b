#include "team/lifecycle.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/limits.h"
#include "protocol/words/process_record.h"
#include "team/roster.h"
#include "team/rules_for_test.h"

namespace teamster::team {
namespace {

class LifecycleTest : public testing::Test {
 protected:
  LifecycleTest() { EXPECT_TRUE(rules_.call("team.create", {{"team", "alpha"}, {"members", {"a", "b", "c"}}})); }
  ~LifecycleTest() override { EXPECT_TRUE(rules_.store().check(true)->empty()); }

  Result<Json> respond(const std::string& member, const Json& body) {
    return rules_.call("message.send", {{"team", "alpha"},
                                        {"from", member},
                                        {"to", "operator"},
                                        {"kind", "shutdown_response"},
                                        {"body", body.dump()}});
  }

  Rules rules_;
};

TEST_F(LifecycleTest, CreateRefusesWhatIsWrong) {
  EXPECT_EQ(rules_.call("team.create", {{"team", "alpha"}}).error().code, Code::refused);
  EXPECT_EQ(rules_.call("team.create", {{"team", "Beta"}}).error().code, Code::invalid);
  EXPECT_EQ(rules_.call("team.create", {{"team", "beta"}, {"members", {"x", "x"}}}).error().code, Code::invalid);
  EXPECT_EQ(rules_.call("team.create", {{"team", "beta"}, {"members", {"operator"}}}).error().code, Code::invalid);
  EXPECT_EQ(rules_.call("team.create", {{"team", "beta"}, {"members", "x"}}).error().code, Code::invalid);
  EXPECT_EQ(rules_.call("team.create", {{"team", "beta"}, {"owner_pid", 999'999}}).error().code, Code::invalid);
  EXPECT_EQ(rules_.call("team.list", {})->at("teams").size(), 1U);
}

TEST_F(LifecycleTest, DeleteWithLiveMembersNeedsForce) {
  const auto refused = rules_.call("team.delete", {{"team", "alpha"}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "team alpha has 3 live members");
  const Json deleted = *rules_.call("team.delete", {{"team", "alpha"}, {"force", true}});
  EXPECT_EQ(deleted["forced"], Json({"a", "b", "c"}));
  EXPECT_EQ(rules_.call("team.status", {{"team", "alpha"}}).error().code, Code::not_found);
  // The name is free; nothing of the old team is in the new one.
  ASSERT_TRUE(rules_.call("team.create", {{"team", "alpha"}, {"members", {"a"}}}));
  EXPECT_EQ(rules_.call("team.status", {{"team", "alpha"}})->at("members")[0]["epoch"], 1);
}

TEST_F(LifecycleTest, ShutdownEndsWhenAllApprove) {
  ASSERT_TRUE(rules_.call("team.shutdown", {{"team", "alpha"}, {"reason", "done"}}));
  EXPECT_TRUE(rules_.would_wait);
  const Json request = rules_.call("message.wait", {{"team", "alpha"}, {"member", "a"}})->at("messages")[0];
  EXPECT_EQ(request["kind"], "shutdown_request");
  EXPECT_EQ(request["priority"], "interrupt");
  for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(respond(name, {{"approve", true}}));
  const Json over = *rules_.call("team.shutdown", {{"team", "alpha"}});
  EXPECT_FALSE(rules_.would_wait);
  EXPECT_EQ(over["approved"], Json({"a", "b", "c"}));
  EXPECT_TRUE(rules_.call("team.delete", {{"team", "alpha"}}));
}

TEST_F(LifecycleTest, SilenceAndRejectionAreForcedAfterTheDeadline) {
  ASSERT_TRUE(rules_.call("team.shutdown", {{"team", "alpha"}}));
  ASSERT_TRUE(respond("a", {{"approve", true}}));
  ASSERT_TRUE(respond("b", {{"approve", false}, {"reason", "still busy"}}));
  rules_.pass(to_ms(limits::kShutdownAnswerDeadline) - 1);
  ASSERT_TRUE(rules_.call("team.shutdown", {{"team", "alpha"}}));
  EXPECT_TRUE(rules_.would_wait);
  EXPECT_EQ(rules_.call("team.join", {{"team", "alpha"}, {"member", "d"}}).error().code, Code::refused);
  rules_.pass(1);
  const Json over = *rules_.call("team.shutdown", {{"team", "alpha"}});
  EXPECT_FALSE(rules_.would_wait);
  EXPECT_EQ(over["approved"], Json({"a"}));
  EXPECT_EQ(over["forced"], Json({"b", "c"}));
  EXPECT_EQ(over["rejected"][0]["reason"], "still busy");
}

TEST_F(LifecycleTest, AMemberIsNativeInTheEpochThatJoinedSo) {
  const auto is_native = [&](const std::string& name) {
    const Json members = rules_.call("team.status", {{"team", "alpha"}})->at("members");
    for (const auto& member : members)
      if (member["name"] == name) return member["native"].get<bool>();
    ADD_FAILURE() << "no member " << name;
    return false;
  };
  EXPECT_FALSE(is_native("a"));
  ASSERT_TRUE(rules_.call("team.join", {{"team", "alpha"}, {"member", "lead"}, {"native", true}}));
  EXPECT_TRUE(is_native("lead"));
  ASSERT_TRUE(rules_.call("team.join", {{"team", "alpha"}, {"member", "lead"}}));
  EXPECT_FALSE(is_native("lead"));
  EXPECT_EQ(rules_.call("team.join", {{"team", "alpha"}, {"member", "x"}, {"native", "yes"}}).error().code,
            Code::invalid);
  const auto by_member =
      rules_.call_as(rules_.member("alpha", "a"), "team.join", {{"member", "fake"}, {"native", true}});
  EXPECT_EQ(by_member.error().code, Code::refused);
}

TEST_F(LifecycleTest, ShutdownWaitsForNoNativeMember) {
  ASSERT_TRUE(rules_.call("team.join", {{"team", "alpha"}, {"member", "lead"}, {"native", true}}));
  ASSERT_TRUE(rules_.call("message.send", {{"team", "alpha"}, {"from", "a"}, {"to", "lead"}, {"body", "hello"}}));
  ASSERT_TRUE(rules_.call("team.shutdown", {{"team", "alpha"}}));
  EXPECT_TRUE(rules_.would_wait);
  const Json members = rules_.call("team.status", {{"team", "alpha"}})->at("members");
  EXPECT_EQ(members[3]["name"], "lead");
  EXPECT_EQ(members[3]["state"], "gone");
  EXPECT_EQ(members[3]["unread"], 1) << "nobody asked it anything";
  for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(respond(name, {{"approve", true}}));
  const Json over = *rules_.call("team.shutdown", {{"team", "alpha"}});
  EXPECT_FALSE(rules_.would_wait);
  EXPECT_EQ(over["approved"], Json({"a", "b", "c"})) << "it was not asked";
  EXPECT_TRUE(over["forced"].empty());
}

TEST_F(LifecycleTest, ATeamOfNativeMembersShutsDownAtOnce) {
  ASSERT_TRUE(rules_.call("team.create", {{"team", "beta"}}));
  ASSERT_TRUE(rules_.call("team.join", {{"team", "beta"}, {"member", "lead"}, {"native", true}}));
  const Json over = *rules_.call("team.shutdown", {{"team", "beta"}});
  EXPECT_FALSE(rules_.would_wait);
  EXPECT_TRUE(over["approved"].empty());
  EXPECT_TRUE(rules_.call("team.delete", {{"team", "beta"}}));
}

TEST_F(LifecycleTest, OrphansAreTeamsWhoseOwnerIsGone) {
  auto& owner = rules_.world().start("owner");
  ASSERT_TRUE(rules_.call("team.create", {{"team", "owned"}, {"owner_pid", owner.pid()}}));
  EXPECT_TRUE(rules_.call("team.orphans", {})->at("orphans").empty());
  rules_.world().kill(owner);
  const Json orphans = rules_.call("team.orphans", {})->at("orphans");
  ASSERT_EQ(orphans.size(), 1U);
  EXPECT_EQ(orphans[0]["team"], "owned");
  EXPECT_TRUE(rules_.call("team.status", {{"team", "owned"}})->at("orphan"));
  EXPECT_FALSE(rules_.call("team.status", {{"team", "alpha"}})->at("orphan"));
}

TEST_F(LifecycleTest, ATeamWhoseOwnerCannotBeSeenIsNoOrphan) {
  auto& owner = rules_.world().start("owner");
  ProcessIdentity elsewhere = owner.view().processes.self();
  elsewhere.pid_namespace = 4026532000;
  ASSERT_TRUE(rules_.call("team.create", {{"team", "owned"}, {"owner", holder_argument(elsewhere)}}));
  rules_.world().kill(owner);
  EXPECT_TRUE(rules_.call("team.orphans", {})->at("orphans").empty());
  EXPECT_EQ(rules_.call("team.status", {{"team", "owned"}})->at("owner").at("alive"), true);
  EXPECT_FALSE(rules_.call("team.create", {{"team", "both"}, {"owner_pid", 1}, {"owner", holder_argument(elsewhere)}}));
}

TEST_F(LifecycleTest, TheTeamOfARunIsOwnedByWhoeverDrivesTheRun) {
  const auto holder = [&](env::sim::Host& host) {
    const auto self = host.view().processes.self();
    return holder_argument(self);
  };
  auto& first = rules_.world().start("first");
  auto& second = rules_.world().start("second");
  const std::string run = "spec-20261116-1a2b";
  ASSERT_TRUE(rules_.call("run.start", {{"run", run}, {"workflow", "spec"}, {"holder", holder(first)}}));
  ASSERT_TRUE(rules_.call("team.create", {{"team", "owned"}, {"run", run}}));
  const auto status = [&] { return *rules_.call("team.status", {{"team", "owned"}}); };
  EXPECT_EQ(status()["owner"], Json({{"pid", first.pid()}, {"alive", true}, {"run", run}}));
  rules_.world().kill(first);
  EXPECT_EQ(status()["owner"]["alive"], false);
  EXPECT_FALSE(status()["orphan"]) << "the run can be resumed, and wants its team then";
  EXPECT_TRUE(rules_.call("team.orphans", {})->at("orphans").empty());
  ASSERT_TRUE(rules_.call("run.lease", {{"run", run}, {"holder", holder(second)}}));
  EXPECT_FALSE(status()["orphan"]) << "the engine that took it over";
  EXPECT_EQ(rules_.call("team.delete", {{"team", "owned"}, {"only_orphan", true}}).error().code, Code::refused);
  const Json ended = Json::parse(R"([{"kind":"run.ended","body":{"status":"done"}}])");
  ASSERT_TRUE(rules_.call("run.append", {{"run", run}, {"lease", 2}, {"after", 2}, {"records", ended}}));
  EXPECT_TRUE(status()["orphan"]) << "the run has ended";
  EXPECT_EQ(rules_.call("team.orphans", {})->at("orphans").at(0).at("reason"), "its run spec-20261116-1a2b is over");
}

TEST_F(LifecycleTest, OfTenThousandTeamsNoLivingOneIsAnOrphan) {
  auto& living = rules_.world().start("living");
  auto& dead = rules_.world().start("dead");
  const std::string run = "spec-20261116-1a2b";
  ASSERT_TRUE(rules_.call(
      "run.start", {{"run", run}, {"workflow", "spec"}, {"holder", holder_argument(dead.view().processes.self())}}));
  const std::vector<Json> owners = {{{"owner_pid", living.pid()}}, {{"owner_pid", dead.pid()}}, {{"run", run}}, {}};
  constexpr int kTeams = 10'000;
  for (int i = 0; i < kTeams; ++i) {
    Json args = owners[static_cast<std::size_t>(i) % owners.size()];
    args["team"] = fmt::format("team-{:05}", i);
    ASSERT_TRUE(rules_.call("team.create", args)) << i;
  }
  rules_.world().kill(dead);
  const Json orphans = rules_.call("team.orphans", {})->at("orphans");
  ASSERT_EQ(orphans.size(), kTeams / owners.size());
  for (std::size_t i = 0; i < orphans.size(); ++i)
    ASSERT_EQ(orphans[i]["team"], fmt::format("team-{:05}", i * owners.size() + 1)) << "those of the dead process";
}

TEST_F(LifecycleTest, WhatIsLeftOfNoTeamCanBeDeletedAsAnOrphan) {
  const Json left = *rules_.call("team.delete", {{"team", "nobody"}, {"force", true}, {"only_orphan", true}});
  EXPECT_EQ(left, Json::parse(R"({"team":"nobody","ref":"nobody","deleted":true,"forced":[]})"));
  EXPECT_EQ(rules_.call("team.delete", {{"team", "../nobody"}, {"only_orphan", true}}).error().code, Code::invalid);
  EXPECT_EQ(rules_.call("team.delete", {{"team", "nobody"}, {"force", true}}).error().code, Code::refused);
}

TEST_F(LifecycleTest, OnlyARunThatGoesOnCanOwnATeam) {
  EXPECT_EQ(rules_.call("team.create", {{"team", "beta"}, {"run", "spec-20261116-1a2b"}}).error().code,
            Code::not_found);
  EXPECT_EQ(rules_.call("team.create", {{"team", "beta"}, {"run", 5}}).error().code, Code::invalid);
  const Json both = {{"team", "beta"}, {"run", "spec-20261116-1a2b"}, {"owner_pid", 1}};
  EXPECT_EQ(rules_.call("team.create", both).error().code, Code::invalid);
}

TEST_F(LifecycleTest, GarbageIsWhatBelongsToOldDeletedTeams) {
  ASSERT_TRUE(rules_.call("message.send", {{"team", "alpha"}, {"to", "a"}, {"body", "x"}}));
  ASSERT_TRUE(rules_.call("task.create", {{"team", "alpha"}, {"subject", "x"}}));
  ASSERT_TRUE(rules_.call("team.create", {{"team", "kept"}, {"members", {"a"}}}));
  ASSERT_TRUE(rules_.call("team.delete", {{"team", "alpha"}, {"force", true}}));
  rules_.now.unix_ms += 1000;
  EXPECT_TRUE(rules_.call("gc", {{"older_than_ms", 2000}})->at("teams").empty());
  EXPECT_EQ(rules_.call("gc", {{"older_than_ms", 500}, {"dry_run", true}})->at("teams"), Json({"alpha"}));
  const Json removed = *rules_.call("gc", {{"older_than_ms", 500}});
  EXPECT_EQ(removed["teams"], Json({"alpha"}));
  EXPECT_TRUE(removed["done"]);
  EXPECT_GT(removed["events"], 5);
  EXPECT_EQ(rules_.call("team.list", {})->at("teams").size(), 1U);
}

TEST_F(LifecycleTest, JoinMakesTheNextEpoch) {
  const Json second = rules_.call("team.join", {{"team", "alpha"}, {"member", "a"}})->at("member");
  EXPECT_EQ(second["epoch"], 2);
  const Json fresh = rules_.call("team.join", {{"team", "alpha"}, {"member", "d"}})->at("member");
  EXPECT_EQ(fresh["epoch"], 1);
  EXPECT_EQ(rules_.call("team.status", {{"team", "alpha"}})->at("members").size(), 4U);
}

}  // namespace
}  // namespace teamster::team
