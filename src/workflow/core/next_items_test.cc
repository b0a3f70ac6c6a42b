// Work on several items: the queue, tasks, the merge, and teams of a phase.
#include <gtest/gtest.h>

#include "workflow/core/run_for_test.h"

namespace teamster::workflow {
namespace {

TEST(FanoutTest, ItemsWaitUntilAMemberIsFree) {
  RunForTest run(pinned_items({fanout({"a", "b", "c"}, 2), agent_phase("build")}));
  run.start();
  EXPECT_EQ(run.decided(), "enter research · items  · make_tasks research/tasks.1");
  EXPECT_EQ(run.open_fields("research/tasks"), Json::parse(R"({"team":"w-20261116-1a2b","from":1,"to":3})"));
  run.done("research/tasks", Json::parse(R"(["11","12","13"])"));
  EXPECT_EQ(run.decided(), "turn research/1.1 · turn research/2.1");
  EXPECT_EQ(run.said("research/2"), "Look at b.");
  EXPECT_EQ(run.said("research/2", "member"), "scout-2");
  EXPECT_EQ(run.said("research/2", "task"), "12") << "claimed in its name";
  run.done("research/2", "B");
  EXPECT_EQ(run.decided(), "item_done 2 passed · finish_task research/2/task.1 · turn research/3.1");
  EXPECT_EQ(run.open_fields("research/2/task"),
            Json::parse(R"({"team":"w-20261116-1a2b","task":"12","status":"completed"})"));
  EXPECT_EQ(run.said("research/3", "member"), "scout-2") << "who is free takes the next";
  run.done("research/1", "A");
  run.done("research/3", "C");
  EXPECT_EQ(run.decided(), "item_done 3 passed · finish_task research/3/task.1");
  run.done("research/2/task");
  run.done("research/1/task");
  EXPECT_TRUE(run.commands.empty()) << "the list of tasks is true before the phase is over";
  run.done("research/3/task");
  EXPECT_EQ(run.decided(),
            "settle research · enter build · turn build.1 · retire scout-1/retire.1 · retire scout-2/retire.1");
  EXPECT_EQ(run.state.answers.at("research").value, Json::parse(R"(["A","B","C"])")) << "in the order of the items";
}

TEST(FanoutTest, ATaskThatCannotBeEndedHoldsUpNothing) {
  RunForTest run(pinned_items({fanout({"a"}, 1), agent_phase("build")}));
  run.start();
  run.failed("research/tasks", "failed", "the hub is gone");
  EXPECT_EQ(run.decided(), "ask research/tasks/stuck.1");
  run.done("research/tasks/stuck", {{"answer", "again"}});
  run.serve();
  run.done("research/1", "A");
  run.failed("research/1/task", "failed", "no such task");
  EXPECT_EQ(run.state.phase, "build");
}

TEST(FanoutTest, TasksAreMadeInPartsAndTheFirstBegin) {
  std::vector<std::string> items(450, "x");
  RunForTest run(pinned_items({fanout(items, 2)}));
  run.start();
  EXPECT_EQ(run.open_fields("research/tasks")["to"], 200);
  Json ids = Json::array();
  for (int i = 1; i <= 200; ++i) ids.push_back(std::to_string(i));
  run.done("research/tasks", ids);
  EXPECT_EQ(run.decided(), "make_tasks research/tasks.2 · turn research/1.1 · turn research/2.1");
  EXPECT_EQ(run.open_fields("research/tasks")["from"], 201);
  run.done("research/1", "A");
  EXPECT_EQ(run.decided(), "item_done 1 passed · finish_task research/1/task.1 · turn research/3.1");
  run.serve();
  EXPECT_EQ(run.state.attempts.at("research/tasks"), 3);
  EXPECT_EQ(run.state.items.find(450)->task, "task-450");
}

TEST(FanoutTest, WhoHasWhichIsKnownToAll) {
  Phase phase = fanout({"a", "b", "c"}, 2);
  Pinned pinned = pinned_items({phase});
  pinned.bundle["item.md"] = "You have {{ITEM_NUMBER}} of these:\n{{ITEMS}}";
  RunForTest run(pinned);
  run.start();
  run.serve();
  const std::string table = "1. scout-1: a\n2. scout-2: b\n3. nobody yet: c";
  EXPECT_EQ(run.said("research/1"), "You have 1 of these:\n" + table) << "also those who begin with it";
  EXPECT_EQ(run.said("research/2"), "You have 2 of these:\n" + table);
  run.done("research/1", "A");
  EXPECT_EQ(run.said("research/3"), "You have 3 of these:\n1. done: a\n2. scout-2: b\n3. scout-1: c");
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
  EXPECT_EQ(started({fanout({"a"}, 1), agent_phase("build")}), "lead builder ") << "scout-1 comes with its item";
  EXPECT_EQ(started({fanout({"a"}, 1), agent_phase("build", "scout")}), "lead scout ") << "a phase asks it by its name";
  Phase merged = fanout({"a"}, 1);
  merged.merge = "scout";
  EXPECT_EQ(started({merged}), "lead scout ");
}

TEST(FanoutTest, WhoWaitsForTheProviderKeepsItsItem) {
  RunForTest run(pinned_items({fanout({"a", "b", "c"}, 2)}));
  run.start();
  run.serve();
  run.failed("research/1", "rate_limit");
  run.done("research/2", "B");
  EXPECT_EQ(run.said("research/3", "member"), "scout-2");
  run.serve();
  EXPECT_EQ(run.open_ids(), ids({"research/1.2", "research/3.1"}));
  run.settle(event::Due{"retry"}, "research/1");
  EXPECT_EQ(run.said("research/1", "member"), "scout-1");
  run.failed("research/1", "context");
  EXPECT_EQ(run.said("research/1", "member"), "scout-fresh-1-4") << "a fresh agent for this item alone";
  EXPECT_EQ(run.said("research/1").find("Look at a"), 0U);
}

TEST(FanoutTest, FreshAgentsOfTwoItemsAreTwo) {
  RunForTest run(pinned_items({fanout({"a", "b"}, 2)}));
  run.start();
  run.serve();
  run.failed("research/1", "context");
  run.failed("research/2", "context");
  EXPECT_EQ(run.said("research/1", "member"), "scout-fresh-1-2");
  EXPECT_EQ(run.said("research/2", "member"), "scout-fresh-2-2");
}

TEST(FanoutTest, ACoordinatorMergesAndIsTriedAgainWithTheAnswers) {
  Phase phase = fanout({"a", "b"}, 0);
  phase.merge = "editor";
  phase.merge_template = "merge.md";
  phase.merge_returns = "merge.json";
  // Of an item: in a merge there is none, and nothing to say.
  Input path;
  path.name = "PATH";
  path.sources = {{Source::Kind::item, "", {"path"}, {}}};
  path.fallback = "nowhere";
  phase.inputs["PATH"] = path;
  RunForTest run(pinned_items({phase}));
  run.start();
  run.serve();
  run.done("research/1", "A");
  run.serve();
  EXPECT_EQ(run.find_open("research/merge"), nullptr) << "one has not passed";
  run.failed("research/2", "login");
  EXPECT_EQ(run.find_open("research/merge"), nullptr) << "and is not over while the owner is asked";
  run.done("research/2/stuck", {{"answer", "same"}});
  run.done("research/2", "B");
  run.serve();
  EXPECT_EQ(run.decided(), "turn research/merge.1");
  const std::string said = run.said("research/merge");
  EXPECT_NE(said.find("begins: words of the members of research]\n- A\n- B\n["), std::string::npos) << said;
  EXPECT_EQ(run.said("research/merge", "schema"), "merge.json");
  run.failed("research/merge", "crash");
  EXPECT_EQ(run.said("research/merge").find(said), 0U);
  run.failed("research/merge", "overloaded");
  run.settle(event::Due{"retry"}, "research/merge");
  EXPECT_EQ(run.said("research/merge").find(said), 0U);
  run.done("research/merge", {{"all", "AB"}});
  EXPECT_EQ(run.state.answers.at("research").value, Json::parse(R"({"all":"AB"})"));
}

TEST(FanoutTest, ACoordinatorThatMissedItsMergeIsTold) {
  Phase phase = fanout({"a"}, 1);
  phase.merge = "editor";
  phase.merge_template = "merge.md";
  RunForTest run(pinned_items({agent_phase("plan", "editor"), phase, agent_phase("print", "editor")}));
  run.start();
  run.done("plan");
  run.serve();
  run.done("research/1", "A");
  run.serve();
  run.failed("research/merge", "context");
  run.done("research/merge", {{"all", "A"}});
  EXPECT_EQ(run.said("print").find("Meanwhile another agent did this in your place:\nresearch:\n"), 0U)
      << run.said("print");
}

TEST(FanoutTest, RolesInTurnOrAsTheItemSays) {
  Phase phase = fanout({}, 0);
  phase.role.clear();
  phase.roles = {"scout", "critic"};
  phase.items->source = Source{Source::Kind::answer, "plan", {"parts"}, {}};
  RunForTest run(pinned_items({agent_phase("plan", "planner"), phase}));
  run.start();
  run.done("plan", Json::parse(R"({"parts":["a","b",{"role":"scout","path":"c"},{"role":"cook","id":"d"}]})"));
  EXPECT_EQ(run.said("plan", "why"),
            "nobody can work on what it lists: parts: d is for the role \"cook\", expected one of scout, critic");
  run.done("plan", Json::parse(R"({"parts":["a","b",{"role":"scout","path":"c"}]})"));
  run.serve();
  EXPECT_EQ(run.said("research/1", "member"), "scout-1");
  EXPECT_EQ(run.said("research/2", "member"), "critic-1");
  EXPECT_EQ(run.said("research/3", "member"), "scout-2");
  for (const char* step : {"research/1", "research/2", "research/3"}) run.done(step, "x");
  run.serve();
  EXPECT_EQ(run.state.ending, status::kDone);
  EXPECT_EQ(run.state.answers.at("research").value.size(), 3U);
}

TEST(FanoutTest, NothingToDoIsDone) {
  RunForTest run(pinned_items({fanout({}, 2), agent_phase("build")}));
  run.start();
  EXPECT_EQ(run.decided(), "enter research · settle research · enter build · turn build.1");
  EXPECT_EQ(run.state.answers.at("research").value, Json::array());
}

TEST(FanoutTest, ABudgetIsAskedForOnceAndEverybodyGoesOn) {
  Phase phase = fanout({"a", "b", "c", "d"}, 3);
  Pinned pinned = pinned_items({agent_phase("plan", "planner"), phase});
  pinned.workflow.budget.turns = 1;
  RunForTest run(pinned);
  run.start();
  run.done("plan", Json::object(), {{"usage", {{"input_tokens", 1}}}});
  run.serve();
  EXPECT_EQ(run.open_ids(), ids({"research/budget.1"})) << "one question, not one for each";
  run.done("research/budget", {{"answer", "raise"}});
  EXPECT_EQ(run.open_ids(), ids({"research/1.1", "research/2.1", "research/3.1"}));
}

TEST(FanoutTest, TriesThatMeetASpentBudgetWaitTogether) {
  Pinned pinned = pinned_items({fanout({"a", "b", "c", "d"}, 3)});
  pinned.workflow.budget.turns = 3;
  RunForTest run(pinned);
  run.start();
  run.serve();
  const auto fails = [&](const std::string& step) {
    run.settle(read_event_body(event::Failed::kKind,
                               Json::parse(R"({"fault":"unusable","error":"no JSON","usage":{"input_tokens":1}})")),
               step);
  };
  fails("research/1");
  EXPECT_EQ(run.said("research/1", "rung"), "mend");
  run.done("research/1", "A", {{"usage", {{"input_tokens", 1}}}});
  run.serve();
  EXPECT_EQ(run.said("research/4", "member"), "scout-1");
  fails("research/2");
  EXPECT_EQ(run.decided(), "ask research/budget.1");
  fails("research/3");
  EXPECT_EQ(run.decided(), "pause research/3") << "it is not forgotten";
  run.done("research/budget", {{"answer", "raise"}});
  EXPECT_EQ(run.decided(), "raise run · turn research/2.2 · turn research/3.2");
  EXPECT_EQ(run.said("research/3", "rung"), "mend");
  EXPECT_EQ(run.said("research/3", "why"), "no JSON");
  for (const char* step : {"research/2", "research/3", "research/4"}) run.done(step, "x");
  run.serve();
  EXPECT_EQ(run.state.ending, status::kDone);
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
    EXPECT_EQ(run.open_fields("research/team")["members"][0]["name"], "lead") << "native members sit in every team";
    run.settle(event::TeamReady{}, "research/team");
    run.serve();
    EXPECT_EQ(run.said("research/1", "team"), "scouts-01");
    run.done("research/1", "A");
    run.done("research/2", "B");
    run.serve();
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
  run.serve();
  EXPECT_EQ(run.open_ids(), ids({"research/1.1"}));
  EXPECT_EQ(run.said("research/1", "team"), "w-20261116-1a2b");
  run.done("research/1");
  EXPECT_EQ(run.said("research/2", "member"), "scout-1");
  run.done("research/2");
  run.serve();
  run.finish();
}

TEST(PhaseTeamTest, CancelWhileItGoesWaitsForAllTeams) {
  Phase phase = with_team({"a"});
  phase.on.clear();
  RunForTest run(pinned_items({phase}));
  run.start({{"args", {{"spec", "01"}}}});
  run.settle(event::TeamReady{}, "research/team");
  run.serve();
  run.done("research/1");
  run.serve();
  run.happens({event::CancelAsked{{.by = "kim"}}});
  EXPECT_EQ(run.open_ids(), ids({"end-scouts-01.1", "end-w-20261116-1a2b.1", "research/end-team.1"}));
  run.settle(event::TeamGone{}, "end-w-20261116-1a2b");
  run.settle(event::TeamGone{}, "end-scouts-01");
  EXPECT_TRUE(run.commands.empty()) << "one effect is still under way";
  run.finish();
  EXPECT_EQ(run.state.status, status::kCancelled);
}

}  // namespace
}  // namespace teamster::workflow
