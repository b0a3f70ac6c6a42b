// Reopening: a run that stood goes on where it stood, or from an earlier phase; what is settled stays.
#include <gtest/gtest.h>

#include "workflow/core/run_for_test.h"

namespace teamster::workflow {
namespace {

constexpr const char* kEndOfTeam = "end-w-20261116-1a2b";

event::Reopened reopened_from(const std::string& phase) { return {.from = phase, .spoken = {.by = "kim"}}; }

// plan, build, verify (back to build, once), commit.
Pinned reopenable(Loop::Then then = Loop::Then::block) {
  Phase verify = agent_phase("verify", "reviewer");
  verify.on = {way_to("build", {{"passed", false}}, "again")};
  Pinned pinned =
      pinned_for_test({agent_phase("plan", "planner"), agent_phase("build"), verify, agent_phase("commit")});
  pinned.workflow.loops["again"] = loop_for_test("again", 1, then);
  return pinned;
}

void spend_the_loop(RunForTest& run) {
  run.start();
  run.done("plan", {{"steps", 2}});
  for (int round = 1; round <= 2; ++round) {
    run.done("build", {{"round", round}});
    run.done("verify", {{"passed", false}});
  }
}

TEST(ReopenTest, ABlockedRunGoesOnWhereItStood) {
  for (const auto then : {Loop::Then::block, Loop::Then::fail}) {
    RunForTest run(reopenable(then));
    spend_the_loop(run);
    run.finish();
    ASSERT_TRUE(run.state.has_ended());
    run.happens({reopened_from("")});
    EXPECT_EQ(run.decided(), "reopen verify · make_team team.2");
    EXPECT_EQ(run.state.status, status::kRunning);
    EXPECT_TRUE(run.state.reason.empty());
    run.settle(event::TeamReady{}, "team");
    EXPECT_EQ(run.decided(), "enter verify · turn verify.3");
    EXPECT_EQ(run.state.sender, "build") << "as it was entered before";
    EXPECT_EQ(run.state.loops.at("again"), 0) << "a loop that was spent begins anew";
    EXPECT_EQ(run.state.answers.at("build").value["round"], 2) << "what is settled stays";
    run.done("verify", {{"passed", false}});
    EXPECT_EQ(run.state.phase, "build");
    run.done("build");
    run.done("verify", {{"passed", true}});
    run.done("commit");
    run.finish();
    EXPECT_EQ(run.state.status, status::kDone);
  }
}

TEST(ReopenTest, FromAnEarlierPhaseWhatIsBeforeItStays) {
  RunForTest run(reopenable());
  spend_the_loop(run);
  run.finish();
  run.happens({reopened_from("build")});
  EXPECT_EQ(run.records.back().commands[0].get<command::Reopen>().dropped,
            (std::vector<std::string>{"build", "verify", "commit"}));
  run.settle(event::TeamReady{}, "team");
  EXPECT_EQ(run.decided(), "enter build · turn build.3");
  EXPECT_EQ(run.state.sender, "plan");
  EXPECT_EQ(run.state.loops.at("again"), 0);
  EXPECT_EQ(run.state.answers.count("plan"), 1U);
  EXPECT_EQ(run.state.answers.count("build") + run.state.answers.count("verify"), 0U);
  run.done("build", {{"round", 9}});
  run.done("verify", {{"passed", true}});
  run.done("commit", {{"hash", "abc"}});
  run.finish();
  EXPECT_EQ(run.state.status, status::kDone);

  // The same latest answers as of a run that never stood.
  RunForTest straight(reopenable());
  straight.start();
  straight.done("plan", {{"steps", 2}});
  straight.done("build", {{"round", 9}});
  straight.done("verify", {{"passed", true}});
  straight.done("commit", {{"hash", "abc"}});
  straight.finish();
  const auto values = [](const RunState& state) {
    std::map<std::string, Json> latest;
    for (const auto& [phase, answer] : state.answers) latest[phase] = answer.value;
    return latest;
  };
  EXPECT_EQ(values(run.state), values(straight.state));
}

TEST(ReopenTest, LoopsBeforeThePhaseKeepTheirCount) {
  Pinned pinned = reopenable();
  Phase late = agent_phase("late");
  late.number = 5;
  late.on = {way_to("commit", {{"again", true}}, "late")};
  pinned.workflow.phases.push_back(late);
  pinned.workflow.loops["late"] = loop_for_test("late", 3, Loop::Then::block);
  RunForTest run(pinned);
  run.start();
  run.done("plan");
  run.done("build");
  run.done("verify", {{"passed", false}});
  run.done("build");
  run.done("verify", {{"passed", true}});
  run.done("commit");
  run.done("late", {{"again", true}});
  run.happens({event::CancelAsked{{.by = "kim"}}});
  run.finish();
  run.happens({reopened_from("commit")});
  EXPECT_EQ(run.state.loops.at("again"), 1) << "its ways begin before";
  EXPECT_EQ(run.state.loops.at("late"), 0);
}

TEST(ReopenTest, AParkedRunKeepsItsTeam) {
  RunForTest run(reopenable());
  run.start();
  run.done("plan");
  run.failed("build", "login", "not logged in");
  ASSERT_NE(run.find_open("build/stuck"), nullptr);
  run.happens({reopened_from("plan")});
  EXPECT_EQ(run.decided(), "reopen plan · enter plan · turn plan.2");
  EXPECT_EQ(run.find_open("build/stuck"), nullptr) << "that question is not wanted any more";
  EXPECT_EQ(run.open_ids(), ids({"plan.2"}));
  EXPECT_TRUE(run.open_fields("plan")["first"].get<bool>()) << "its member had gone, and is told all of it";
}

TEST(ReopenTest, ARunThatIsEndingWaitsForItsTeamToGo) {
  RunForTest run(reopenable());
  spend_the_loop(run);
  ASSERT_EQ(run.state.ending, status::kBlocked);
  run.happens({reopened_from("")});
  EXPECT_EQ(run.decided(), "reopen verify");
  EXPECT_EQ(run.open_ids(), ids({"end-w-20261116-1a2b.1"}));
  run.settle(event::TeamGone{}, kEndOfTeam);
  EXPECT_EQ(run.decided(), "make_team team.2") << "it cannot go on in a team that is gone";
  run.settle(event::TeamReady{}, "team");
  EXPECT_EQ(run.state.phase, "verify");
}

TEST(ReopenTest, BeforeTheFirstPhase) {
  RunForTest run(reopenable());
  run.happens({event::Started{}});
  run.failed("team", "refused", "it is there");
  run.done("team/stuck", {{"answer", "abort"}});
  run.finish();
  run.happens({reopened_from("")});
  EXPECT_EQ(run.decided(), "reopen plan · make_team team.2");
  run.settle(event::TeamReady{}, "team");
  EXPECT_EQ(run.state.phase, "plan");
}

TEST(ReopenTest, APhaseThatThereIsNotIsWhereItStood) {
  RunForTest run(reopenable());
  spend_the_loop(run);
  run.finish();
  run.happens({reopened_from("typo")});
  EXPECT_EQ(run.decided(), "reopen verify · make_team team.2");
}

TEST(ReopenTest, WhatHasPassedOfTheItemsStaysPassed) {
  Phase phase = fanout({"a", "b", "c"}, 1);
  phase.ladder.then = Ladder::Then::block;
  RunForTest run(pinned_items({agent_phase("plan", "planner"), phase}));
  run.start();
  run.done("plan");
  run.serve();
  run.done("research/1", "A");
  run.failed("research/2", "login");
  EXPECT_EQ(run.state.ending, status::kBlocked);
  run.finish();
  run.happens({reopened_from("")});
  run.settle(event::TeamReady{}, "team");
  EXPECT_EQ(run.decided(), "enter research · items  · item_done 1 passed · make_tasks research/tasks.2");
  EXPECT_EQ(run.open_fields("research/tasks"), Json::parse(R"({"team":"w-20261116-1a2b","from":2,"to":3})"));
  run.serve();
  run.done("research/2", "B");
  run.done("research/3", "C");
  run.serve();
  EXPECT_EQ(run.state.answers.at("research").value, Json::parse(R"(["A","B","C"])"));
  run.finish();
  // From the phase itself everything is done again.
  run.happens({reopened_from("research")});
  run.settle(event::TeamReady{}, "team");
  EXPECT_EQ(run.decided(), "enter research · items  · make_tasks research/tasks.3");
  EXPECT_EQ(run.open_fields("research/tasks")["from"], 1);
}

TEST(ReopenTest, AMergeThatFailedIsTriedAgainWithoutTheItems) {
  Phase phase = fanout({"a", "b"}, 2);
  phase.merge = "editor";
  phase.merge_template = "merge.md";
  phase.ladder.then = Ladder::Then::block;
  RunForTest run(pinned_items({phase}));
  run.start();
  run.serve();
  run.done("research/1", "A");
  run.done("research/2", "B");
  run.serve();
  run.failed("research/merge", "login");
  run.finish();
  run.happens({reopened_from("")});
  run.settle(event::TeamReady{}, "team");
  EXPECT_EQ(run.decided(), "enter research · items  · item_done 1 passed · item_done 2 passed · turn research/merge.2");
}

TEST(ReopenTest, TeamsOfAPhaseGoFirst) {
  Phase phase = fanout({"a", "b"}, 2);
  phase.team.name = "scouts";
  phase.team.scope = Team::Scope::phase;
  RunForTest run(pinned_items({agent_phase("plan", "planner"), phase}));
  run.start();
  run.done("plan");
  run.settle(event::TeamReady{}, "research/team");
  run.serve();
  run.happens({reopened_from("plan")});
  EXPECT_EQ(run.decided(), "reopen plan · end_team end-scouts.1");
  run.settle(event::TeamGone{}, "end-scouts");
  EXPECT_EQ(run.decided(), "enter plan · turn plan.2");
  run.done("plan");
  EXPECT_EQ(run.decided(),
            "settle plan · enter research · items  · make_team research/team.2 · retire planner/retire.2");
}

TEST(ReopenTest, ARunBelowIsEndedBeforeItIsBegunAgain) {
  Phase below = phase_for_test(Phase::Kind::workflow, "below");
  below.workflow = "implement-spec";
  for (const bool fails : {false, true}) {
    RunForTest run(pinned_for_test({agent_phase("plan", "planner"), below}));
    run.start();
    run.done("plan");
    run.happens({reopened_from("")});
    EXPECT_EQ(run.decided(), "reopen below · end_sub_run below/end.1");
    if (fails)
      run.failed("below/end", "failed", "it is held");
    else
      run.done("below/end");
    EXPECT_EQ(run.decided(), "enter below · sub_run below.2");
    EXPECT_EQ(run.state.answers.count("below"), 0U) << "that was no answer of the phase";
  }
}

TEST(ReopenTest, NotesOfWhatIsDoneAgainAreForgotten) {
  RunForTest run(reopenable(Loop::Then::accept));
  spend_the_loop(run);
  EXPECT_EQ(run.state.notes.size(), 1U);
  run.happens({reopened_from("build")});
  EXPECT_TRUE(run.state.notes.empty());
}

TEST(ReopenTest, ACancelWhileTeamsGoEndsIt) {
  RunForTest run(reopenable());
  spend_the_loop(run);
  run.happens({reopened_from("")});
  run.happens({event::CancelAsked{{.by = "kim"}}});
  run.finish();
  EXPECT_EQ(run.state.status, status::kCancelled);
}

}  // namespace
}  // namespace teamster::workflow
