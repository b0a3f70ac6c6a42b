// Work on several items: fanout with queue and merge, pools, sub-runs, teams of a phase.
#include <gtest/gtest.h>

#include "workflow/core/run_for_test.h"

namespace teamster::workflow {
namespace {

Phase fanout(std::vector<std::string> items, std::int64_t members) {
  Phase phase = phase_for_test(Phase::Kind::fanout, "research", "scout");
  phase.template_file = "item.md";
  phase.items = Items{};
  phase.items->fixed = std::move(items);
  phase.items->members = members;
  return phase;
}

TEST(FanoutTest, ItemsWaitUntilAMemberIsFree) {
  RunForTest run(pinned_items({fanout({"a", "b", "c"}, 2), agent_phase("build")}));
  run.start();
  EXPECT_EQ(run.decided(), "enter research · items  · turn research/1.1 · turn research/2.1");
  EXPECT_EQ(run.said("research/2"), "Look at b.");
  EXPECT_EQ(run.said("research/2", "member"), "scout-2");
  run.done("research/2", "B");
  EXPECT_EQ(run.decided(), "turn research/3.1");
  EXPECT_EQ(run.said("research/3", "member"), "scout-2") << "who is free takes the next";
  run.done("research/1", "A");
  EXPECT_TRUE(run.commands.empty());
  run.done("research/3", "C");
  EXPECT_EQ(run.decided(), "settle research · enter build · turn build.1");
  EXPECT_EQ(run.state.answers.at("research").value, Json::parse(R"(["A","B","C"])")) << "in the order of the items";
}

TEST(FanoutTest, NobodyIsStartedWhoIsNeverAsked) {
  const auto started = [](std::vector<Phase> phases) {
    Pinned pinned = pinned_items(std::move(phases));
    pinned.workflow.team.name = "team";
    pinned.workflow.team.scope = Team::Scope::run;
    RunForTest run(pinned);
    run.happens({event::Started{}});
    std::string names;
    for (const auto& member : run.commands[0].get<command::MakeTeam>().members) names += member.name + " ";
    return names;
  };
  EXPECT_EQ(started({fanout({"a"}, 1), agent_phase("build")}), "builder ") << "scout-1 comes with its item";
  EXPECT_EQ(started({fanout({"a"}, 1), agent_phase("build", "scout")}), "scout ") << "a phase asks it by its name";
  Phase merged = fanout({"a"}, 1);
  merged.merge = "scout";
  EXPECT_EQ(started({merged}), "scout ");
}

TEST(FanoutTest, WhoWaitsForTheProviderKeepsItsItem) {
  RunForTest run(pinned_items({fanout({"a", "b", "c"}, 2)}));
  run.start();
  run.failed("research/1", "rate_limit");
  run.done("research/2", "B");
  EXPECT_EQ(run.said("research/3", "member"), "scout-2");
  EXPECT_EQ(run.open_ids(), ids({"research/1.2", "research/3.1"}));
  run.settle(event::Due{"retry"}, "research/1");
  EXPECT_EQ(run.said("research/1", "member"), "scout-1");
  run.failed("research/1", "unusable");
  EXPECT_EQ(run.said("research/1", "member"), "scout-fresh-4") << "a fresh agent for this item alone";
  EXPECT_EQ(run.said("research/1"), "Look at a.");
}

TEST(FanoutTest, ACoordinatorMergesAndIsTriedAgainWithTheAnswers) {
  Phase phase = fanout({"a", "b"}, 0);
  phase.merge = "editor";
  phase.merge_template = "merge.md";
  phase.merge_returns = "merge.json";
  RunForTest run(pinned_items({phase}));
  run.start();
  run.done("research/1", "A");
  run.done("research/2", "B");
  EXPECT_EQ(run.decided(), "turn research/merge.1");
  EXPECT_EQ(run.said("research/merge"), "Merge:\n- A\n- B");
  EXPECT_EQ(run.said("research/merge", "schema"), "merge.json");
  run.failed("research/merge", "crash");
  EXPECT_EQ(run.said("research/merge"), "Merge:\n- A\n- B");
  run.failed("research/merge", "overloaded");
  run.settle(event::Due{"retry"}, "research/merge");
  EXPECT_EQ(run.said("research/merge"), "Merge:\n- A\n- B");
  run.done("research/merge", {{"all", "AB"}});
  EXPECT_EQ(run.state.answers.at("research").value, Json::parse(R"({"all":"AB"})"));
}

TEST(FanoutTest, RolesInTurnOrAsTheItemSays) {
  Phase phase = fanout({}, 0);
  phase.role.clear();
  phase.roles = {"scout", "critic"};
  phase.items->source = Source{Source::Kind::answer, "plan", {"parts"}, {}};
  RunForTest run(pinned_items({agent_phase("plan", "planner"), phase}));
  run.start();
  run.done("plan", Json::parse(R"({"parts":["a","b",{"role":"scout","path":"c"}]})"));
  EXPECT_EQ(run.said("research/1", "member"), "scout-1");
  EXPECT_EQ(run.said("research/2", "member"), "critic-1");
  EXPECT_EQ(run.said("research/3", "member"), "scout-2");
}

TEST(FanoutTest, NothingToDoIsDone) {
  RunForTest run(pinned_items({fanout({}, 2), agent_phase("build")}));
  run.start();
  EXPECT_EQ(run.decided(), "enter research · items  · settle research · enter build · turn build.1");
  EXPECT_EQ(run.state.answers.at("research").value, Json::array());
}

TEST(FanoutTest, ABudgetIsAskedForOnceAndEverybodyGoesOn) {
  Phase phase = fanout({"a", "b", "c", "d"}, 3);
  Pinned pinned = pinned_items({agent_phase("plan", "planner"), phase});
  pinned.workflow.budget.turns = 1;
  RunForTest run(pinned);
  run.start();
  run.done("plan", Json::object(), {{"usage", {{"input_tokens", 1}}}});
  EXPECT_EQ(run.open_ids(), ids({"research/budget.1"})) << "one question, not one for each";
  run.done("research/budget", {{"answer", "raise"}});
  EXPECT_EQ(run.open_ids(), ids({"research/1.1", "research/2.1", "research/3.1"}));
}

TEST(FanoutTest, AChecklistIsReadByTheEngine) {
  Phase phase = fanout({}, 1);
  phase.items->checklist = "{{args/file}}";
  phase.items->group = "[P]";
  RunForTest run(pinned_items({phase}));
  run.start({{"args", {{"file", "tasks.md"}}}});
  EXPECT_EQ(run.decided(), "enter research · read_items research/items.1");
  EXPECT_EQ(run.open_fields("research/items"), Json::parse(R"({"checklist":"tasks.md","group":"[P]"})"));
  run.done("research/items", Json::parse(R"(["a","b"])"));
  EXPECT_EQ(run.decided(), "items  · turn research/1.1");
  RunForTest broken(pinned_items({phase}));
  broken.start({{"args", {{"file", "tasks.md"}}}});
  broken.done("research/items", "no list");
  EXPECT_EQ(broken.state.ending, status::kDone) << "as if it were empty";
  RunForTest missing(pinned_items({phase}));
  missing.start({{"args", {{"file", "tasks.md"}}}});
  missing.failed("research/items", "", "there is no tasks.md");
  EXPECT_EQ(missing.state.ending, status::kBlocked);
}

Phase with_team(std::vector<std::string> items) {
  Phase phase = fanout(std::move(items), 0);
  phase.team.name = "scouts-{{args/spec}}";
  phase.team.scope = Team::Scope::phase;
  phase.on = {way_to("plan", {}, "again")};
  return phase;
}

TEST(PhaseTeamTest, ComesAndGoesWithItsPhase) {
  Pinned pinned = pinned_items({agent_phase("plan", "planner"), with_team({"a", "b"}), agent_phase("build")});
  pinned.workflow.loops["again"] = loop_for_test("again", 1, Loop::Then::accept);
  RunForTest run(pinned);
  run.start({{"args", {{"spec", "01"}}}});
  for (int round = 1; round <= 2; ++round) {
    run.done("plan");
    EXPECT_EQ(run.open_fields("research/team")["team"], "scouts-01");
    run.settle(event::TeamReady{}, "research/team");
    EXPECT_EQ(run.said("research/1", "team"), "scouts-01");
    run.done("research/1", "A");
    run.done("research/2", "B");
    EXPECT_EQ(run.decided(), "settle research · end_team research/end-team." + std::to_string(round));
    EXPECT_EQ(run.state.phase, "research") << "the next begins when it is gone";
    run.settle(event::TeamGone{}, "research/end-team");
    EXPECT_EQ(run.state.teams, (std::vector<std::string>{"w-20261116-1a2b"}));
    EXPECT_EQ(run.state.members.count("scout-1"), 0U);
  }
  EXPECT_EQ(run.state.phase, "build");
  EXPECT_EQ(run.said("build", "team"), "w-20261116-1a2b");
}

TEST(PhaseTeamTest, FewItemsAreDoneByOneMemberWithoutATeam) {
  Phase phase = with_team({"a", "b"});
  phase.on.clear();
  phase.items->at_least = 3;
  RunForTest run(pinned_items({phase}));
  run.start({{"args", {{"spec", "01"}}}});
  EXPECT_EQ(run.open_ids(), ids({"research/1.1"}));
  EXPECT_EQ(run.said("research/1", "team"), "w-20261116-1a2b");
  run.done("research/1");
  EXPECT_EQ(run.said("research/2", "member"), "scout-1");
  run.done("research/2");
  run.finish();
}

TEST(PhaseTeamTest, CancelWhileItGoesWaitsForAllTeams) {
  Phase phase = with_team({"a"});
  phase.on.clear();
  RunForTest run(pinned_items({phase}));
  run.start({{"args", {{"spec", "01"}}}});
  run.settle(event::TeamReady{}, "research/team");
  run.done("research/1");
  run.happens({event::CancelAsked{{.by = "kim"}}});
  EXPECT_EQ(run.open_ids(), ids({"end-scouts-01.1", "end-w-20261116-1a2b.1", "research/end-team.1"}));
  run.settle(event::TeamGone{}, "end-w-20261116-1a2b");
  run.settle(event::TeamGone{}, "end-scouts-01");
  EXPECT_TRUE(run.commands.empty()) << "one effect is still under way";
  run.finish();
  EXPECT_EQ(run.state.status, status::kCancelled);
}

TEST(PoolTest, MembersClaimUntilNoTaskIsLeft) {
  Phase pool = fanout({"a", "b", "c"}, 2);
  pool.kind = Phase::Kind::pool;
  RunForTest run(pinned_items({pool}));
  run.start();
  EXPECT_EQ(run.decided(), "enter research · items  · make_tasks research/tasks.1");
  EXPECT_EQ(run.open_fields("research/tasks")["tasks"][1], Json::parse(R"({"subject":"b","item":"b"})"));
  run.done("research/tasks");
  EXPECT_EQ(run.open_ids(), ids({"research/1.1", "research/2.1"}));
  run.done("research/1", "A", {{"tasks_left", 1}});
  EXPECT_EQ(run.decided(), "turn research/1.2") << "it stopped too early";
  run.done("research/2", "B", {{"tasks_left", 0}});
  EXPECT_TRUE(run.commands.empty()) << "another is still at it";
  run.done("research/1", "A", Json::parse(R"({"tasks_left":0,"tasks":[{"id":1},{"id":2},{"id":3}]})"));
  EXPECT_EQ(run.state.answers.at("research").value.size(), 3U);
  EXPECT_EQ(run.state.ending, status::kDone);
}

TEST(PoolTest, HasNewTasksEachTimeItIsEntered) {
  Phase pool = fanout({"a"}, 1);
  pool.kind = Phase::Kind::pool;
  pool.on = {way_to("research", {}, "again")};
  Pinned pinned = pinned_items({pool});
  pinned.workflow.loops["again"] = loop_for_test("again", 1, Loop::Then::block);
  RunForTest run(pinned);
  run.start();
  run.done("research/tasks");
  run.done("research/1", "A", {{"tasks_left", 0}});
  EXPECT_EQ(run.open_ids(), ids({"research/tasks.2"}));
  run.failed("research/tasks", "", "the team is gone");
  EXPECT_EQ(run.state.ending, status::kBlocked);
}

TEST(SubRunTest, OneAfterTheOtherForEachItem) {
  Phase each = fanout({}, 0);
  each.kind = Phase::Kind::workflow;
  each.role.clear();
  each.items->checklist = "specs.md";
  each.workflow = "implement-spec";
  each.with = {{"spec", "{{item}}"}};
  RunForTest run(pinned_items({each}));
  run.start();
  run.done("research/items", Json::parse(R"(["01","02"])"));
  EXPECT_EQ(run.decided(), "items  · sub_run research/1.1");
  EXPECT_EQ(run.open_fields("research/1"), Json::parse(R"({"workflow":"implement-spec","args":{"spec":"01"}})"));
  run.done("research/1", {{"status", "done"}});
  EXPECT_EQ(run.decided(), "sub_run research/2.1");
  run.done("research/2", {{"status", "done"}});
  EXPECT_EQ(run.state.answers.at("research").value, Json::parse(R"([{"status":"done"},{"status":"done"}])"));
  RunForTest blocked(pinned_items({each}));
  blocked.start();
  blocked.done("research/items", Json::parse(R"(["01","02"])"));
  blocked.failed("research/1", "blocked", "implement-spec-20261116-0001 is blocked");
  EXPECT_EQ(blocked.state.ending_reason, "research/1: implement-spec-20261116-0001 is blocked");
}

TEST(SubRunTest, GoesWithTheRunThatStartedIt) {
  Phase one = phase_for_test(Phase::Kind::workflow, "build");
  one.workflow = "implement-spec";
  RunForTest run(pinned_items({one, agent_phase("after")}));
  run.start();
  run.happens({event::CancelAsked{{.by = "ada"}}});
  EXPECT_EQ(run.decided(), "end_sub_run build/end.1 · end_team end-w-20261116-1a2b.1");
  EXPECT_EQ(run.open_fields("build/end")["of"], "build.1");
  run.happens({event::Done{.answer = {{"status", "done"}}}, "build", 1});
  EXPECT_TRUE(run.commands.empty()) << "too late";
  run.settle(event::TeamGone{}, "end-w-20261116-1a2b");
  EXPECT_EQ(run.open_ids(), ids({"build/end.1"})) << "it is waited for";
  run.done("build/end");
  EXPECT_EQ(run.decided(), "end end.1");
  run.finish();
  EXPECT_EQ(run.state.status, status::kCancelled);
}

TEST(SubRunTest, OneThatCannotBeEndedKeepsNobody) {
  Phase one = phase_for_test(Phase::Kind::workflow, "build");
  one.workflow = "implement-spec";
  RunForTest run(pinned_items({one, agent_phase("after")}));
  run.start();
  run.happens({event::CancelAsked{{.by = "ada"}}});
  run.failed("build/end", "failed", "it is held");
  EXPECT_EQ(run.open_ids(), ids({"end-w-20261116-1a2b.1"}));
  run.finish();
  EXPECT_EQ(run.state.status, status::kCancelled);
}

TEST(SubRunTest, OneAlone) {
  Phase one = phase_for_test(Phase::Kind::workflow, "build");
  one.workflow = "implement-spec";
  one.with = {{"spec", "{{args/spec}}"}};
  RunForTest run(pinned_items({one}));
  run.start({{"args", {{"spec", "07"}}}});
  EXPECT_EQ(run.open_fields("build")["args"], Json::parse(R"({"spec":"07"})"));
  run.done("build", {{"commit", "abc"}});
  EXPECT_EQ(run.state.answers.at("build").value, Json::parse(R"({"commit":"abc"})"));
}

}  // namespace
}  // namespace teamster::workflow
