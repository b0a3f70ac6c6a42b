// Phases, ways, loops, and how a run begins and ends.
#include "workflow/core/next.h"

#include <gtest/gtest.h>

#include "workflow/core/run_for_test.h"

namespace teamster::workflow {
namespace {

TEST(NextTest, WithoutRolesThereIsNoTeam) {
  Phase notify = phase_for_test(Phase::Kind::notify, "notify");
  notify.text = "done";
  RunForTest run(pinned_for_test({notify}));
  run.happens({event::Started{}});
  EXPECT_EQ(run.decided(), "enter notify · notify notify.1");
  run.done("notify");
  EXPECT_EQ(run.decided(), "settle notify · end end.1");
}

TEST(NextTest, ARunGoesThroughItsPhasesToItsEnd) {
  RunForTest run(pinned_for_test({agent_phase("plan", "planner"), agent_phase("build")}));
  run.happens({event::Started{.args = {{"spec", "01"}}}});
  EXPECT_EQ(run.decided(), "make_team team.1");
  EXPECT_EQ(run.commands[0].as<command::MakeTeam>()->team, "w-20261116-1a2b")
      << "without a team of its own it is named as the run";
  run.settle(event::TeamReady{}, "team");
  EXPECT_EQ(run.decided(), "enter plan · turn plan.1");
  run.done("plan", {{"steps", 2}});
  EXPECT_EQ(run.decided(), "settle plan · enter build · turn build.1 · retire planner/retire.1");
  EXPECT_EQ(run.state.sender, "plan");
  run.done("build");
  EXPECT_EQ(run.decided(), "settle build · end_team end-w-20261116-1a2b.1");
  EXPECT_EQ(run.state.answers.at("plan").value, Json::parse(R"({"steps":2})"));
  EXPECT_EQ(run.state.answers.at("build").sequence, 2);
  run.settle(event::TeamGone{}, "end-w-20261116-1a2b");
  EXPECT_EQ(run.decided(), "end end.1");
  EXPECT_EQ(run.commands[0].as<command::End>()->report, "w-20261116-1a2b: done");
  run.finish();
  EXPECT_EQ(run.state.status, status::kDone);
  EXPECT_TRUE(run.state.open.empty());
}

TEST(NextTest, AllRolesOfARunAreMadeAtOnce) {
  Pinned pinned = pinned_for_test({agent_phase("plan", "planner"), agent_phase("build")});
  pinned.workflow.team.name = "spec-{{args/spec}}";
  pinned.workflow.team.scope = Team::Scope::run;
  pinned.workflow.roles["lead"].is_native = true;
  RunForTest run(pinned);
  run.happens({event::Started{.args = {{"spec", "01"}}}});
  EXPECT_EQ(fields_of(run.commands[0].body), Json::parse(R"({"team":"spec-01","members":[
      {"name":"lead","role":"lead","native":true},
      {"name":"builder","role":"builder","later":true},{"name":"planner","role":"planner","later":true}]})"));
  EXPECT_EQ(run.state.members.count("lead"), 0U) << "it is in every team, and has no conversation";
  EXPECT_EQ(run.state.members.at("planner").team, "spec-01");
}

TEST(NextTest, TheTextsOfACommitAreFilled) {
  Phase record = phase_for_test(Phase::Kind::commit, "record");
  record.commit =
      Commit{{"progress/{{args/spec}}"}, "chore: record {{args/spec}}", "v-{{args/spec}}-*", "{{args/spec}}-done"};
  RunForTest run(pinned_for_test({record}));
  run.happens({event::Started{.args = {{"spec", "01"}}}});
  EXPECT_EQ(run.decided(), "enter record · commit record.1");
  EXPECT_EQ(fields_of(run.commands[1].body),
            Json::parse(R"({"paths":["progress/01"],"message":"chore: record 01","tag":"v-01-*",
      "last_tag":"01-done"})"));
}

TEST(NextTest, ACheckThatHasNoWayForFailureGoesOn) {
  Phase look = phase_for_test(Phase::Kind::check, "look");
  look.check = Check{};
  look.check->command = "false";
  Phase tell = phase_for_test(Phase::Kind::notify, "tell");
  tell.text = "done";
  RunForTest run(pinned_for_test({look, tell}));
  run.happens({event::Started{}});
  run.done("look", {{"passed", false}});
  EXPECT_EQ(run.decided(), "settle look · enter tell · notify tell.1")
      << "as runs did that began before it was refused";
}

TEST(NextTest, ATeamThatCannotBeMadeIsAskedAboutAndIsNotEnded) {
  RunForTest run(pinned_for_test({agent_phase("build")}));
  run.happens({event::Started{}});
  run.failed("team", "refused", "team w is alive");
  EXPECT_EQ(run.decided(), "ask team/stuck.1");
  EXPECT_EQ(run.said("team/stuck", "text"), "team failed: team w is alive");
  EXPECT_EQ(run.open_fields("team/stuck")["options"], Json::parse(R"(["again","abort"])"));
  run.done("team/stuck", {{"answer", "again"}, {"by", "kim"}});
  EXPECT_EQ(run.decided(), "make_team team.2");
  run.failed("team", "refused", "team w is alive");
  run.done("team/stuck", {{"answer", "abort"}, {"by", "kim"}});
  EXPECT_EQ(run.decided(), "end end.1") << "it is somebody else's";
  EXPECT_EQ(run.state.ending_reason, "team failed: team w is alive; the owner chose to stop");
}

TEST(NextTest, ATeamWithoutANameIsAskedAbout) {
  Pinned pinned = pinned_for_test({agent_phase("build")});
  pinned.workflow.team.name = "{{args/team}}";
  pinned.workflow.team.scope = Team::Scope::run;
  RunForTest run(pinned);
  run.happens({event::Started{}});
  EXPECT_EQ(run.decided(), "ask team/stuck.1");
  EXPECT_EQ(run.said("team/stuck", "text"),
            "team cannot begin: the name of the team, {{args/team}}, is empty. Give what it is made of a value, or the "
            "team another name");
  run.done("team/stuck", {{"answer", "again"}});
  EXPECT_EQ(run.decided(), "ask team/stuck.2") << "it still has none";
}

TEST(NextTest, TheFirstWayThatHoldsIsTaken) {
  struct Row {
    const char* about;
    Json answer;
    const char* decided;
  };
  const std::vector<Row> rows = {
      {"equal", {{"ok", true}}, "settle a · enter c · turn c.1"},
      {"equality is typed", {{"ok", "true"}}, "settle a · enter b · turn b.1"},
      {"absent", Json::object(), "settle a · enter b · turn b.1"},
      {"no object", Json(3), "settle a · enter b · turn b.1"},
      {"of a field", {{"deep", {{"n", 1}}}}, "settle a · end_team end-w-20261116-1a2b.1"},
      {"always comes first", {{"status", "BLOCKED"}, {"ok", true}}, "settle a · end_team end-w-20261116-1a2b.1"},
  };
  for (const auto& row : rows) {
    Phase a = agent_phase("a");
    Way done;
    done.when = {{"deep/n", 1}};
    done.end = Way::End::done;
    a.on = {way_to("c", {{"ok", true}}), done};
    Pinned pinned = pinned_for_test({a, agent_phase("b"), agent_phase("c")});
    Way block;
    block.when = {{"status", "BLOCKED"}};
    block.end = Way::End::block;
    block.reason = "it said: {{answer/summary}}";
    pinned.workflow.always = {block};
    RunForTest run(pinned);
    run.start();
    run.done("a", row.answer);
    EXPECT_EQ(run.decided(), row.decided) << row.about;
  }
}

TEST(NextTest, BlockAndFailEndWithTheirReason) {
  for (const auto& [end, status] : {std::pair{Way::End::block, status::kBlocked}, {Way::End::fail, status::kFailed}}) {
    Phase a = agent_phase("a");
    Way way;
    way.end = end;
    way.reason = "it said: {{answer/summary}}";
    a.on = {way};
    RunForTest run(pinned_for_test({a}));
    run.start();
    run.done("a", {{"summary", "no compiler"}});
    run.finish();
    EXPECT_EQ(run.state.status, status);
    EXPECT_EQ(run.state.reason, "a: it said: no compiler");
  }
}

Pinned looping(Loop::Then then, const std::string& counts = {}) {
  Phase verify = agent_phase("verify", "reviewer");
  verify.on = {way_to("build", {{"passed", false}}, "again")};
  Pinned pinned = pinned_for_test({agent_phase("build"), verify, agent_phase("commit")});
  pinned.workflow.loops["again"] = loop_for_test("again", 2, then);
  pinned.workflow.loops["again"].counts = counts;
  return pinned;
}

void go_round(RunForTest& run, int times) {
  for (int round = 0; round < times; ++round) {
    run.done("build");
    run.done("verify", {{"passed", false}, {"round", round}});
  }
}

TEST(NextTest, ALoopIsTakenAsOftenAsItsLimitSays) {
  for (const std::string counts : {"", "build"}) {
    RunForTest run(looping(Loop::Then::block, counts));
    run.start();
    go_round(run, counts.empty() ? 2 : 1);
    EXPECT_EQ(run.state.phase, "build");
    EXPECT_EQ(run.state.loops.at("again"), counts.empty() ? 2 : 1) << "counted when taken, or when the phase is done";
    go_round(run, 1);
    EXPECT_EQ(run.state.ending, status::kBlocked) << counts;
    EXPECT_EQ(run.state.ending_reason, "verify: the loop again has been taken 2 times, which is its limit");
  }
}

TEST(NextTest, WhatALoopDoesAtItsLimit) {
  RunForTest failing(looping(Loop::Then::fail));
  failing.start();
  go_round(failing, 3);
  EXPECT_EQ(failing.state.ending, status::kFailed);

  RunForTest accepting(looping(Loop::Then::accept));
  accepting.start();
  go_round(accepting, 3);
  EXPECT_EQ(accepting.decided(),
            "settle verify · note verify · enter commit · turn commit.1 · retire reviewer/retire.1");
  EXPECT_EQ(to_json(accepting.state)["notes"],
            Json::parse(R"([{"phase":"verify","loop":"again","answer":{"passed":false,"round":2}}])"));
}

TEST(NextTest, TheOwnerDecidesWhatALoopThatEscalatesDoes) {
  struct Row {
    const char* choice;
    const char* decided;
  };
  const std::vector<Row> rows = {
      {"again", "enter build · turn build.4"},
      {"accept", "note verify · enter commit · turn commit.1 · retire reviewer/retire.1"},
      {"abort", "end_team end-w-20261116-1a2b.1"},
      {"stop", "end_team end-w-20261116-1a2b.1"},
      {"raise", "ask verify/escalate.2"},
  };
  for (const auto& row : rows) {
    RunForTest run(looping(Loop::Then::escalate));
    run.start();
    go_round(run, 3);
    EXPECT_EQ(run.decided(), "settle verify · ask verify/escalate.1");
    EXPECT_EQ(run.said("verify/escalate", "to"), "owner");
    EXPECT_EQ(run.open_fields("verify/escalate")["options"], Json::parse(R"(["again","accept","abort"])"));
    EXPECT_EQ(run.open_fields("verify/escalate")["outcomes"].size(), 3U) << "each says what follows from it";
    run.done("verify/escalate", {{"answer", row.choice}, {"by", "kim"}});
    EXPECT_EQ(run.decided(), row.decided) << row.choice;
  }
  RunForTest run(looping(Loop::Then::escalate));
  run.start();
  go_round(run, 3);
  run.done("verify/escalate", {{"answer", "again"}});
  go_round(run, 1);
  EXPECT_EQ(run.decided(), "settle verify · ask verify/escalate.2") << "once more, not for ever";
}

TEST(NextTest, APhaseIsSkippedUnlessItIsWanted) {
  Phase one = agent_phase("one");
  one.only = {{"args/action", Json::parse(R"(["build","test"])")}};
  Phase two = agent_phase("two");
  two.only = {{"args/action", "test"}, {"values/deep", true}};
  for (const auto& [action, first] : {std::pair{"build", "enter one · turn one.1"},
                                      {"test", "enter one · turn one.1"},
                                      {"plan", "enter three · turn three.1"}}) {
    RunForTest run(pinned_for_test({one, two, agent_phase("three")}));
    run.start({{"args", {{"action", action}}}, {"values", {{"deep", true}}}});
    EXPECT_EQ(run.decided(), first) << action;
    if (run.find_open("one") == nullptr) continue;
    run.done("one");
    EXPECT_EQ(run.state.phase, std::string(action) == "test" ? "two" : "three");
  }
  RunForTest none(pinned_for_test({two}));
  none.start();
  EXPECT_EQ(none.state.ending, status::kDone) << "nothing was wanted";
}

TEST(NextTest, CancelEndsTheTeamsAndGivesUpWhatIsOpen) {
  RunForTest run(pinned_for_test({agent_phase("build")}));
  run.start();
  run.happens({event::CancelAsked{{.by = "kim"}}});
  EXPECT_EQ(run.open_ids(), (std::vector<std::string>{"end-w-20261116-1a2b.1"}));
  run.happens({event::CancelAsked{{.by = "kim"}}});
  run.happens({event::Done{.answer = {}}, "build", 1});
  EXPECT_TRUE(run.commands.empty()) << "what comes late has no effect";
  run.finish();
  EXPECT_EQ(run.state.status, status::kCancelled);
  EXPECT_EQ(run.state.reason, "cancelled by kim");
  run.happens({event::CancelAsked{{.by = "kim"}}});
  EXPECT_TRUE(run.commands.empty());
}

TEST(NextTest, CancelBeforeTheTeamIsThere) {
  RunForTest run(pinned_for_test({agent_phase("build")}));
  run.happens({event::Started{}});
  run.happens({event::CancelAsked{{.by = "kim"}}});
  run.happens({event::TeamReady{"w-20261116-1a2b"}, "team", 1});
  EXPECT_TRUE(run.commands.empty());
  run.finish();
  EXPECT_EQ(run.state.status, status::kCancelled);
}

TEST(NextTest, LateEventsHaveNoEffect) {
  RunForTest run(pinned_for_test({agent_phase("build"), agent_phase("test")}));
  run.start();
  run.failed("build", "crash");
  EXPECT_EQ(run.decided(), "turn build.2");
  const std::vector<RunEvent> late = {
      {event::Done{.answer = {{"late", true}}}, "build", 1},
      {event::Failed{"crash", "again"}, "build", 1},
      {event::Due{"retry"}, "build", 1},
      {event::Decided{"skip"}, "build", 1},
      {event::TeamReady{"w-20261116-1a2b"}, "team", 1},
      {event::TeamGone{"x"}, "end-x", 1},
      {event::Done{.answer = 1}, "nowhere", 1},
      {event::Unknown{"step.invented"}, "build", 2},
  };
  for (const auto& event : late) {
    run.happens(event);
    EXPECT_TRUE(run.commands.empty()) << event.kind() << ": " << run.decided();
    EXPECT_EQ(run.open_ids(), (std::vector<std::string>{"build.2"}));
  }
  run.done("build", {{"late", false}});
  EXPECT_EQ(run.state.answers.at("build").value, Json::parse(R"({"late":false})"));
}

TEST(NextTest, ARunIsTakenUpWhereALedgerSaysItIs) {
  Pinned pinned = looping(Loop::Then::block);
  RunForTest run(pinned);
  run.start(Json::parse(R"({"resume":{"phase":"build","loops":{"again":1},"next_sequence":3,"answers":{
      "build":{"value":{"n":1},"sequence":1},"verify":{"value":{"passed":false},"sequence":2}}}})"));
  EXPECT_EQ(run.decided(), "enter build · turn build.1");
  EXPECT_EQ(run.state.sender, "verify") << "the newest that can have led there";
  run.done("build", {{"n", 2}});
  EXPECT_EQ(run.state.answers.at("build").sequence, 3);
  EXPECT_EQ(run.state.loops.at("again"), 1);
  RunForTest unknown(pinned);
  unknown.start(Json::parse(R"({"resume":{"phase":"gone"}})"));
  EXPECT_EQ(unknown.state.phase, "build") << "a phase that there is not: from the first";
}

TEST(NextTest, WordsThatAreMissingParkBeforeAnythingIsSent) {
  Phase build = agent_phase("build");
  Input input;
  input.name = "FILES";
  input.sources = {{Source::Kind::answer, "plan", {"files"}, {}}};
  build.inputs["FILES"] = input;
  RunForTest run(pinned_for_test({agent_phase("plan", "planner"), build}));
  run.start();
  run.done("plan", {{"files", Json::array()}});
  EXPECT_EQ(run.decided(), "settle plan · enter build · ask build/stuck.1 · retire planner/retire.1");
  EXPECT_NE(run.said("build/stuck", "text").find("{{FILES}} has no value in phase build"), std::string::npos)
      << run.said("build/stuck", "text");
  run.done("build/stuck", {{"answer", "again"}, {"by", "kim"}});
  EXPECT_EQ(run.decided(), "ask build/stuck.2") << "it is tried, and is missing still";
  run.done("build/stuck", {{"answer", "abort"}, {"by", "kim"}});
  run.finish();
  EXPECT_EQ(run.state.status, status::kBlocked);
}

TEST(NextTest, ALoopIsCountedInOneRound) {
  // Three attempts at `build` for each plan: whenever `plan` is entered, they begin anew.
  Phase verify = agent_phase("verify", "reviewer");
  verify.on = {way_to("plan", {{"replan", true}}, "plans"), way_to("build", {{"passed", false}}, "tries")};
  Pinned pinned = pinned_for_test({agent_phase("plan"), agent_phase("build"), verify, agent_phase("commit")});
  pinned.workflow.loops["tries"] = loop_for_test("tries", 1, Loop::Then::block);
  pinned.workflow.loops["tries"].resets = "plan";
  pinned.workflow.loops["plans"] = loop_for_test("plans", 2, Loop::Then::block);
  RunForTest run(pinned);
  run.start();
  run.done("plan");
  go_round(run, 1);
  EXPECT_EQ(run.state.loops.at("tries"), 1);
  run.done("build");
  run.done("verify", {{"replan", true}});
  EXPECT_EQ(run.state.loops.at("tries"), 0);
  EXPECT_EQ(run.state.loops.at("plans"), 1);
  run.done("plan");
  go_round(run, 1);
  EXPECT_EQ(run.state.phase, "build");
  go_round(run, 1);
  EXPECT_EQ(run.state.ending, status::kBlocked) << "the second in this round";
}

TEST(NextTest, ALoopThatIsSpentMayLeadElsewhere) {
  Pinned pinned = looping(Loop::Then::go);
  pinned.workflow.loops["again"].target = "commit";
  RunForTest run(pinned);
  run.start();
  go_round(run, 3);
  EXPECT_EQ(run.decided(), "settle verify · enter commit · turn commit.1 · retire reviewer/retire.1");
}

}  // namespace
}  // namespace teamster::workflow
