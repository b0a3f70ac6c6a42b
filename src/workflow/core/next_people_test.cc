// Questions, gates, reminders and deadlines; and the effects that the engine does by itself.
#include <gtest/gtest.h>

#include "workflow/core/run_for_test.h"

namespace teamster::workflow {
namespace {

Phase question(Phase::Kind kind, const std::string& id) {
  Phase phase = phase_for_test(kind, id);
  phase.question = Question{};
  phase.question->text = "Is {{args/spec}} right?";
  return phase;
}

TEST(QuestionTest, HasAnAddresseeOptionsAndTimes) {
  Phase ask = question(Phase::Kind::ask, "which");
  ask.question->to = "{{args/who}}";
  ask.question->expertise = "design";
  ask.question->options = {"left", "right"};
  ask.question->remind = std::chrono::minutes(1);
  ask.question->deadline = std::chrono::hours(1);
  RunForTest run(pinned_for_test({ask}));
  run.start({{"args", {{"spec", "01"}, {"who", "kim"}}}});
  EXPECT_EQ(run.open_fields("which"), Json::parse(R"({"text":"Is 01 right?","to":"kim","gate":false,
      "expertise":"design","options":["left","right"],"remind_ms":60000,"deadline_ms":3600000})"));
  run.done("which", {{"answer", "left"}, {"by", "kim"}});
  EXPECT_EQ(run.state.answers.at("which").value, Json::parse(R"({"answer":"left","by":"kim"})"));
  EXPECT_EQ(run.state.answers.at("which").sequence, 0) << "what a person says is in the journal alone";
}

Phase asking_for_people() {
  Phase phase = question(Phase::Kind::ask, "preflight");
  phase.question->deadline = std::chrono::hours(1);
  phase.sets_people = true;
  return phase;
}

TEST(PeopleSetByAPhase, AreRecordedAndThenAskedByWhatTheyKnow) {
  Phase safe = question(Phase::Kind::ask, "safe");
  safe.question->expertise = "security";
  Phase test = question(Phase::Kind::gate, "test");
  test.question->to = "qa";
  test.only = {{"run/has_qa", true}};
  RunForTest run(pinned_for_test({asking_for_people(), safe, test}));
  run.start({{"args", {{"spec", "01"}}}});
  EXPECT_EQ(run.said("preflight", "sets"), "people");
  EXPECT_EQ(run.said("preflight", "to"), "owner");
  run.done("preflight", {{"answer", "@Sam, Sam, security\nida, Ida, qa"}, {"by", "kim"}});
  EXPECT_EQ(run.decided(), "people  · settle preflight · enter safe · ask safe.1");
  EXPECT_EQ(run.state.people["owner"], "kim") << "whoever answered, because nobody else was named";
  EXPECT_EQ(run.said("safe", "to"), "sam");
  run.done("safe", {{"answer", "yes"}, {"by", "sam"}});
  EXPECT_NE(run.find_open("test"), nullptr) << "somebody tests";
}

TEST(PeopleSetByAPhase, AreAskedForAgainWithWhatIsWrong) {
  Phase safe = question(Phase::Kind::ask, "safe");
  safe.question->expertise = "security";
  RunForTest run(pinned_for_test({asking_for_people(), safe}));
  run.start({{"args", {{"spec", "01"}}}, {"people", {{"owner", "kim"}, {"stakeholders", Json::array()}}}});
  run.settle(event::Due{"deadline"}, "preflight");
  run.done("preflight", {{"answer", "sam smith, Sam"}, {"by", "kim"}});
  EXPECT_EQ(run.decided(), "ask preflight.2");
  EXPECT_EQ(run.said("preflight").find("(preflight is not open)"), std::string::npos);
  EXPECT_NE(run.said("preflight", "text").find("'sam smith' is no handle"), std::string::npos);
  EXPECT_TRUE(run.said("preflight", "text").ends_with("Is 01 right?")) << run.said("preflight", "text");
  EXPECT_FALSE(run.open_fields("preflight").contains("late")) << "it has its whole time again";
  run.done("preflight", {{"answer", "sam, Sam, parser"}, {"by", "kim"}});
  EXPECT_NE(run.said("preflight", "text").find("nobody has the expertise 'security'"), std::string::npos);
  EXPECT_EQ(run.said("preflight", "text").find("sam smith"), std::string::npos) << "only of the last answer";
  run.done("preflight", {{"answer", "sam, Sam, security"}, {"by", "operator"}});
  EXPECT_EQ(run.state.people["owner"], "kim") << "the owner stays";
  EXPECT_EQ(run.said("safe", "to"), "sam");
}

TEST(QuestionTest, WithoutAnAddresseeItIsTheOwners) {
  RunForTest run(pinned_for_test({question(Phase::Kind::ask, "which")}));
  run.start();
  EXPECT_EQ(run.said("which", "to"), "owner");
}

TEST(QuestionTest, LateIsNeverAYes) {
  Phase gate = question(Phase::Kind::gate, "approve");
  gate.question->to = "kim";
  RunForTest run(pinned_for_test({gate}));
  run.start();
  run.settle(event::Due{"remind"}, "approve");
  EXPECT_EQ(run.decided(), "remind approve.1");
  EXPECT_EQ(run.said("approve", "to"), "kim");
  EXPECT_EQ(run.open_fields("approve")["reminded"], true) << "so it is not due again after a crash";
  run.settle(event::Due{"deadline"}, "approve");
  EXPECT_EQ(run.open_fields("approve")["late"], true);
  EXPECT_EQ(run.decided(), "remind approve.1");
  EXPECT_EQ(run.said("approve", "to"), "kim") << "who was asked may still answer";
  EXPECT_EQ(run.said("approve", "also"), "owner") << "the owner is asked, too, and the run waits";
  run.settle(event::Due{"nonsense"}, "approve");
  EXPECT_TRUE(run.commands.empty());
  run.done("approve", {{"approved", true}, {"by", "kim"}});
  EXPECT_EQ(run.state.ending, status::kDone);
}

TEST(QuestionTest, LateMayFailTheRun) {
  Phase ask = question(Phase::Kind::ask, "which");
  ask.question->late = Question::Late::fail;
  RunForTest run(pinned_for_test({ask}));
  run.start();
  run.settle(event::Due{"deadline"}, "which");
  EXPECT_EQ(run.state.ending, status::kFailed);
  EXPECT_EQ(run.state.ending_reason, "which: nobody answered in time");
}

TEST(GateTest, FeedbackGoesBackUntilItIsApproved) {
  Phase plan = agent_phase("plan", "planner");
  Input feedback;
  feedback.name = "FEEDBACK";
  feedback.sources = {{Source::Kind::answer, "approve", {"feedback"}, {}}};
  feedback.fallback = "none";
  plan.inputs["FEEDBACK"] = feedback;
  plan.template_file = "plan.md";
  Phase gate = question(Phase::Kind::gate, "approve");
  gate.on = {way_to("plan", {{"approved", false}}, "rounds")};
  Pinned pinned = pinned_for_test({plan, gate, agent_phase("build")});
  pinned.bundle["plan.md"] = "Plan. Feedback: {{FEEDBACK}}";
  pinned.workflow.loops["rounds"] = loop_for_test("rounds", 5, Loop::Then::escalate);
  RunForTest run(pinned);
  run.start();
  EXPECT_EQ(run.said("plan"), "Plan. Feedback: none");
  run.done("plan");
  EXPECT_TRUE(run.open_fields("approve")["gate"].get<bool>());
  run.done("approve", {{"approved", false}, {"feedback", "smaller steps"}, {"by", "kim"}});
  EXPECT_EQ(run.said("plan"), "Plan. Feedback: \"smaller steps\" [kim, approve]") << "as that person's words";
  run.done("plan");
  EXPECT_EQ(run.open_ids(), (std::vector<std::string>{"approve.2"}));
  run.done("approve", {{"approved", true}, {"by", "kim"}});
  EXPECT_EQ(run.state.phase, "build");
}

TEST(GateTest, WhatIsNotApprovedDoesNotGoOn) {
  for (const char* answer : {R"({"approved":false,"feedback":"no"})", R"({"approved":"yes"})", R"({})", R"("ok")"}) {
    RunForTest run(pinned_for_test({question(Phase::Kind::gate, "approve"), agent_phase("build")}));
    run.start();
    run.done("approve", Json::parse(answer));
    EXPECT_EQ(run.state.ending, status::kBlocked) << answer;
  }
}

// The gate `approve` sends back to `plan` until its loop is spent; `build` is behind it.
Pinned gated(Loop::Then then) {
  Phase gate = question(Phase::Kind::gate, "approve");
  gate.on = {way_to("plan", {{"approved", false}}, "rounds")};
  Pinned pinned = pinned_for_test({agent_phase("plan", "planner"), gate, agent_phase("build"), agent_phase("apology")});
  pinned.workflow.loops["rounds"] = loop_for_test("rounds", 2, then);
  return pinned;
}

void refuse(RunForTest& run, int times) {
  for (int round = 0; round < times; ++round) {
    run.done("plan");
    run.done("approve", {{"approved", false}, {"feedback", "no"}, {"by", "kim"}});
  }
}

bool was_entered(const RunForTest& run, const std::string& phase) {
  for (const auto& record : run.records)
    for (const auto& command : record.commands)
      if (const auto* enter = command.as<command::Enter>(); enter != nullptr && enter->phase == phase) return true;
  return false;
}

TEST(GateTest, RefusedUntilItsLoopIsSpentNeverLeadsBehindIt) {
  for (const auto then :
       {Loop::Then::block, Loop::Then::fail, Loop::Then::accept, Loop::Then::escalate, Loop::Then::go})
    for (const char* target : {"build", "apology"}) {
      Pinned pinned = gated(then);
      if (then == Loop::Then::go) pinned.workflow.loops["rounds"].target = target;
      RunForTest run(pinned);
      run.start();
      refuse(run, 3);
      const bool asks = then == Loop::Then::escalate || then == Loop::Then::accept ||
                        (then == Loop::Then::go && std::string(target) == "build");
      if (asks) {
        ASSERT_NE(run.find_open("approve/escalate"), nullptr);
        EXPECT_EQ(run.open_fields("approve/escalate")["options"], Json::parse(R"(["again","abort"])"));
        EXPECT_EQ(run.open_fields("approve/escalate")["outcomes"].size(), 2U);
        run.done("approve/escalate", {{"answer", "accept"}, {"by", "kim"}});
        EXPECT_EQ(run.decided(), "ask approve/escalate.2") << "that is no answer to a gate";
        run.done("approve/escalate", {{"answer", "again"}, {"by", "kim"}});
        EXPECT_EQ(run.state.phase, "plan") << "one more round";
        refuse(run, 1);
        run.done("approve/escalate", {{"answer", "abort"}, {"by", "kim"}});
        EXPECT_EQ(run.state.ending, status::kBlocked);
      } else if (then == Loop::Then::go) {
        EXPECT_EQ(run.state.phase, "apology") << "where its author wants it";
      } else {
        EXPECT_EQ(run.state.ending, then == Loop::Then::fail ? status::kFailed : status::kBlocked);
      }
      EXPECT_FALSE(was_entered(run, "build"));
    }
}

TEST(GateTest, ATierThatChangedStopsAtAGate) {
  Phase again = agent_phase("classify-again", "planner");
  again.on = {way_to("approve", {{"tier", Json::parse(R"({"changed_since":"classify"})")}})};
  Phase done = agent_phase("build");
  done.on.resize(1);
  done.on[0].end = Way::End::done;
  for (const auto& [tier, phase] : {std::pair{"small", "build"}, std::pair{"large", "approve"}}) {
    RunForTest run(
        pinned_for_test({agent_phase("classify", "planner"), again, done, question(Phase::Kind::gate, "approve")}));
    run.start();
    run.done("classify", {{"tier", "small"}});
    run.done("classify-again", {{"tier", tier}});
    EXPECT_EQ(run.state.phase, phase) << tier;
  }
}

TEST(QuestionTest, ThatCannotBeAskedIsTheOwnersMatter) {
  RunForTest run(pinned_for_test({question(Phase::Kind::ask, "which")}));
  run.start();
  run.failed("which", "", "there is no transport");
  EXPECT_EQ(run.decided(), "ask which/stuck.1");
  run.done("which/stuck", {{"answer", "again"}});
  EXPECT_EQ(run.decided(), "ask which.2");
  run.failed("which", "", "there is no transport");
  run.failed("which/stuck", "", "there is no transport");
  EXPECT_EQ(run.state.ending_reason, "which/stuck: there is no transport") << "who cannot be asked cannot decide";
}

TEST(QuestionTest, TextAndOptionsComeFromAnswers) {
  Phase ask = question(Phase::Kind::ask, "which");
  ask.question->text = "{{plan/title}}: which?";
  ask.question->options = {"{{plan/first}}", "neither"};
  RunForTest run(pinned_for_test({agent_phase("plan", "planner"), ask}));
  run.start();
  run.done("plan", {{"title", "Parser"}, {"first", "recursive descent"}});
  EXPECT_EQ(run.said("which", "text"), "Parser: which?");
  EXPECT_EQ(run.open_fields("which")["options"], Json::parse(R"(["recursive descent","neither"])"));
}

TEST(EngineEffectTest, CheckNotifyAndCommit) {
  Phase check = phase_for_test(Phase::Kind::check, "check");
  check.check = Check{"make {{args/spec}}", std::chrono::seconds(30), {}, {}, {}};
  check.on = {way_to("tell", {{"passed", true}})};
  Phase notify = phase_for_test(Phase::Kind::notify, "tell");
  notify.text = "{{args/spec}} is ready";
  notify.to = "@Kim+@sam";
  Phase commit = phase_for_test(Phase::Kind::commit, "record");
  commit.commit = Commit{{"progress/{{args/spec}}"}, "chore: record {{args/spec}}", "step-*", "done"};
  RunForTest run(pinned_for_test({check, agent_phase("fix"), notify, commit}));
  run.start({{"args", {{"spec", "01"}}}});
  EXPECT_EQ(run.open_fields("check"), Json::parse(R"({"command":"make 01","limit_ms":30000})"));
  run.done("check", {{"passed", true}, {"exit", 0}});
  EXPECT_EQ(run.open_fields("tell"), Json::parse(R"({"text":"01 is ready","to":"kim+sam"})"));
  run.done("tell");
  EXPECT_EQ(run.open_fields("record"), Json::parse(R"({"paths":["progress/01"],"message":"chore: record 01",
      "tag":"step-*","last_tag":"done"})"));
  run.done("record", {{"commit", "abc"}, {"tag", "step-1"}});
  run.finish();
  EXPECT_EQ(run.state.answers.at("record").value["tag"], "step-1");
}

}  // namespace
}  // namespace teamster::workflow
