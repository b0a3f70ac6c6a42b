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
  EXPECT_EQ(run.said("approve", "to"), "owner") << "the owner is asked from now on, and the run waits";
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
  EXPECT_EQ(run.said("plan"), "Plan. Feedback: smaller steps");
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

TEST(QuestionTest, ThatCannotBeAskedBlocks) {
  RunForTest run(pinned_for_test({question(Phase::Kind::ask, "which")}));
  run.start();
  run.failed("which", "", "there is no transport");
  EXPECT_EQ(run.state.ending_reason, "which: there is no transport");
}

TEST(EngineEffectTest, CheckNotifyAndCommit) {
  Phase check = phase_for_test(Phase::Kind::check, "check");
  check.check = Check{"make {{args/spec}}", std::chrono::seconds(30), {}, {}, {}};
  check.on = {way_to("tell", {{"passed", true}})};
  Phase notify = phase_for_test(Phase::Kind::notify, "tell");
  notify.text = "{{args/spec}} is ready";
  Phase commit = phase_for_test(Phase::Kind::commit, "record");
  commit.commit = Commit{{"progress/{{args/spec}}"}, "chore: record {{args/spec}}", "step-*", "done"};
  RunForTest run(pinned_for_test({check, agent_phase("fix"), notify, commit}));
  run.start({{"args", {{"spec", "01"}}}});
  EXPECT_EQ(run.open_fields("check"), Json::parse(R"({"command":"make 01","limit_ms":30000})"));
  run.done("check", {{"passed", true}, {"exit", 0}});
  EXPECT_EQ(run.open_fields("tell"), Json::parse(R"({"text":"01 is ready"})"));
  run.done("tell");
  EXPECT_EQ(run.open_fields("record"), Json::parse(R"({"paths":["progress/01"],"message":"chore: record 01",
      "tag":"step-*","last_tag":"done"})"));
  run.done("record", {{"commit", "abc"}, {"tag", "step-1"}});
  run.finish();
  EXPECT_EQ(run.state.answers.at("record").value["tag"], "step-1");
}

}  // namespace
}  // namespace teamster::workflow
