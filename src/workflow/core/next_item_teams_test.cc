// A team of its own for each item of a phase: it comes before the work on the item and goes after it.
#include <gtest/gtest.h>

#include "workflow/core/run_for_test.h"

namespace teamster::workflow {
namespace {

Phase with_item_teams(std::vector<std::string> items, std::int64_t members) {
  Phase phase = fanout(std::move(items), members);
  phase.team.name = "scouts-{{item}}";
  phase.team.scope = Team::Scope::item;
  return phase;
}

TEST(ItemTeamTest, EachItemHasATeamOfItsOwn) {
  RunForTest run(pinned_items({with_item_teams({"a", "b", "c"}, 2), agent_phase("build")}));
  run.start();
  EXPECT_EQ(run.decided(), "enter research · items  · make_team research/1/team.1 · make_team research/2/team.1");
  EXPECT_EQ(run.open_fields("research/2/team"), Json::parse(R"({"team":"scouts-b",
      "members":[{"name":"lead","role":"lead","native":true}]})"));
  run.settle(event::TeamReady{}, "research/2/team");
  EXPECT_EQ(run.decided(), "turn research/2.1");
  EXPECT_EQ(run.said("research/2", "team"), "scouts-b");
  run.settle(event::TeamReady{}, "research/1/team");
  EXPECT_EQ(run.said("research/1", "team"), "scouts-a");
  EXPECT_NE(run.said("research/1", "member"), run.said("research/2", "member"));
  const std::string member = run.said("research/1", "member");
  run.done("research/1", "A");
  EXPECT_EQ(run.decided(), "item_done 1 passed · end_team research/1/end-team.1") << "the next item when it is gone";
  run.settle(event::TeamGone{}, "research/1/end-team");
  EXPECT_EQ(run.decided(), "make_team research/3/team.1");
  run.settle(event::TeamReady{}, "research/3/team");
  EXPECT_EQ(run.said("research/3", "member"), member) << "its name is free";
  EXPECT_EQ(run.said("research/3", "team"), "scouts-c");
  run.done("research/3", "C");
  run.done("research/2", "B");
  run.settle(event::TeamGone{}, "research/3/end-team");
  EXPECT_TRUE(run.commands.empty()) << "one team is still there";
  run.settle(event::TeamGone{}, "research/2/end-team");
  EXPECT_EQ(run.decided(), "settle research · enter build · turn build.1");
  EXPECT_EQ(run.state.answers.at("research").value, Json::parse(R"(["A","B","C"])"));
  EXPECT_EQ(run.state.teams, (std::vector<std::string>{"w-20261116-1a2b"}));
  EXPECT_EQ(run.said("build", "team"), "w-20261116-1a2b");
}

TEST(ItemTeamTest, AFreshAgentIsInTheTeamOfItsItem) {
  RunForTest run(pinned_items({with_item_teams({"a"}, 0)}));
  run.start();
  run.settle(event::TeamReady{}, "research/1/team");
  run.failed("research/1", "context");
  EXPECT_EQ(run.said("research/1", "team"), "scouts-a");
  EXPECT_EQ(run.said("research/1", "member"), "scout-fresh-1-2");
}

TEST(ItemTeamTest, ItemsWithTeamsOfOneNameWaitForEachOther) {
  Phase phase = with_item_teams({"a", "b"}, 2);
  phase.team.name = "scouts";
  RunForTest run(pinned_items({phase}));
  run.start();
  EXPECT_EQ(run.open_ids(), ids({"research/1/team.1"}));
  run.settle(event::TeamReady{}, "research/1/team");
  EXPECT_EQ(run.open_ids(), ids({"research/1.1"}));
  run.done("research/1", "A");
  run.settle(event::TeamGone{}, "research/1/end-team");
  EXPECT_EQ(run.decided(), "make_team research/2/team.1");
}

TEST(ItemTeamTest, FewItemsHaveNone) {
  Phase few = with_item_teams({"a", "b"}, 0);
  few.items->at_least = 3;
  RunForTest run(pinned_items({few}));
  run.start();
  run.serve();
  EXPECT_EQ(run.said("research/1", "team"), "w-20261116-1a2b");
}

TEST(ItemTeamTest, ABudgetThatIsRaisedStartsThoseThatHaveTheirTeam) {
  Phase phase = with_item_teams({"a", "b"}, 2);
  Pinned pinned = pinned_items({agent_phase("plan", "planner"), phase});
  pinned.workflow.budget.turns = 1;
  RunForTest run(pinned);
  run.start();
  run.done("plan", Json::object(), {{"usage", Json::object()}});
  run.settle(event::TeamReady{}, "research/1/team");
  run.settle(event::TeamReady{}, "research/2/team");
  run.serve();
  EXPECT_EQ(run.open_ids(), ids({"research/budget.1"}));
  run.done("research/budget", {{"answer", "raise"}});
  EXPECT_EQ(run.open_ids(), ids({"research/1.1", "research/2.1"}));
  EXPECT_EQ(run.said("research/2", "team"), "scouts-b");
}

TEST(ItemTeamTest, ATeamThatCannotBeMadeIsTheOwnersMatterAndOthersGoOn) {
  RunForTest run(pinned_items({with_item_teams({"a", "b", "c"}, 2)}));
  run.start();
  run.settle(event::TeamReady{}, "research/1/team");
  run.failed("research/2/team", "team", "team scouts-b was made by hand");
  EXPECT_EQ(run.decided(), "ask research/2/team/stuck.1 · make_team research/3/team.1");
  run.settle(event::TeamReady{}, "research/3/team");
  run.done("research/1", "A");
  run.settle(event::TeamGone{}, "research/1/end-team");
  EXPECT_TRUE(run.commands.empty()) << "nobody makes it before the owner has answered";
  run.done("research/2/team/stuck", {{"answer", "again"}});
  EXPECT_EQ(run.decided(), "make_team research/2/team.2");
  run.settle(event::TeamReady{}, "research/2/team");
  EXPECT_EQ(run.said("research/2", "team"), "scouts-b");
  run.happens({event::CancelAsked{{.by = "kim"}}});
  EXPECT_EQ(run.open_ids(), ids({"end-scouts-b.1", "end-scouts-c.1", "end-w-20261116-1a2b.1"}));
  run.finish();
}

TEST(ItemTeamTest, AreMadeAnewWhenARunIsReopened) {
  RunForTest run(pinned_items({with_item_teams({"a", "b"}, 1)}));
  run.start();
  run.settle(event::TeamReady{}, "research/1/team");
  run.failed("research/1", "script", "stopped");
  run.finish();
  run.happens({event::Reopened{}});
  run.settle(event::TeamReady{}, "team");
  EXPECT_EQ(run.open_ids(), ids({"research/1/team.2"})) << "the one it had is gone";
}

TEST(ItemTeamTest, SubRunsHaveThemAroundThem) {
  Phase each = with_item_teams({"01", "02"}, 0);
  each.kind = Phase::Kind::workflow;
  each.role.clear();
  each.workflow = "implement-spec";
  each.with = {{"spec", "{{item}}"}};
  RunForTest run(pinned_items({each}));
  run.start();
  EXPECT_EQ(run.decided(), "enter research · items  · make_team research/1/team.1");
  run.settle(event::TeamReady{}, "research/1/team");
  EXPECT_EQ(run.decided(), "sub_run research/1.1");
  run.done("research/1", {{"status", "done"}});
  EXPECT_EQ(run.decided(), "item_done 1 passed · end_team research/1/end-team.1");
  run.settle(event::TeamGone{}, "research/1/end-team");
  run.settle(event::TeamReady{}, "research/2/team");
  run.done("research/2", {{"status", "done"}});
  run.settle(event::TeamGone{}, "research/2/end-team");
  EXPECT_EQ(run.state.ending, status::kDone);
}

}  // namespace
}  // namespace teamster::workflow
