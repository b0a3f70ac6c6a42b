// Questions of agents: what a member asks becomes a question of the run, and the answer finds its way back.
#include <gtest/gtest.h>

#include "workflow/core/run_for_test.h"

namespace teamster::workflow {
namespace {

event::Asked question_of(const std::string& member, std::int64_t message = 17) {
  return {.member = member, .team = "w-20261116-1a2b", .message = message, .text = "Left or right?"};
}

TEST(AskingTest, IsAQuestionOfTheRun) {
  Pinned pinned = pinned_for_test({agent_phase("build")});
  pinned.workflow.questions.remind = std::chrono::minutes(10);
  RunForTest run(pinned);
  run.start(Json::parse(R"({"people":{"owner":"kim","stakeholders":[{"handle":"sam","expertise":["roads"]}]}})"));
  event::Asked asked = question_of("builder");
  asked.options = {"left", "right"};
  asked.expertise = "roads";
  run.happens({asked});
  EXPECT_EQ(run.decided(), "ask build/ask-1.1");
  EXPECT_EQ(run.open_fields("build/ask-1"), Json::parse(R"({"text":"Left or right?","to":"sam","gate":false,
      "options":["left","right"],"expertise":"roads","from":"builder","message":17,"remind_ms":600000,
      "deadline_ms":7200000})"))
      << "routed by who knows, with a deadline and a reminder";
  EXPECT_NE(run.find_open("build"), nullptr) << "the turn goes on";
  run.settle(event::Due{"remind"}, "build/ask-1");
  EXPECT_EQ(run.open_fields("build/ask-1")["reminded"], true);
  run.settle(event::Due{"deadline"}, "build/ask-1");
  EXPECT_EQ(run.said("build/ask-1", "also"), "owner");
  run.happens({question_of("builder", 18)});
  EXPECT_EQ(run.decided(), "ask build/ask-2.1");
  EXPECT_EQ(run.said("build/ask-2", "to"), "owner");
}

TEST(AskingTest, AMessageThatIsReadTwiceAsksOnce) {
  RunForTest run(pinned_for_test({agent_phase("build")}));
  run.start();
  run.happens({question_of("builder")});
  run.happens({question_of("builder")});
  EXPECT_TRUE(run.commands.empty());
  EXPECT_EQ(run.open_ids(), ids({"build.1", "build/ask-1.1"}));
}

TEST(AskingTest, AnAgentThatWasKilledWhileItAskedAsksNobodyTwice) {
  RunForTest run(pinned_for_test({agent_phase("build")}));
  run.start();
  run.happens({question_of("builder", 17)});
  run.happens({question_of("builder", 18)});
  EXPECT_TRUE(run.commands.empty()) << "the same is open";
  run.done("build/ask-1", {{"answer", "left"}, {"by", "kim"}});
  run.done("build/ask-1/reply");
  run.happens({question_of("builder", 19)});
  EXPECT_EQ(run.decided(), "reply build/ask-3/reply.1") << "it was answered in this turn";
  EXPECT_EQ(run.open_fields("build/ask-3/reply"), Json::parse(R"({"team":"w-20261116-1a2b","member":"builder",
      "message":19,"text":"left","by":"kim","question":"Left or right?"})"));
  event::Asked other = question_of("builder", 20);
  other.text = "Up or down?";
  run.happens({other});
  EXPECT_EQ(run.decided(), "ask build/ask-4.1");
}

TEST(AskingTest, WhoWaitsInItsTurnGetsTheAnswerAsAMessage) {
  RunForTest run(pinned_for_test({agent_phase("build")}));
  run.start();
  run.happens({question_of("builder")});
  run.done("build/ask-1", {{"answer", "left"}, {"by", "kim"}});
  EXPECT_EQ(run.decided(), "reply build/ask-1/reply.1");
  EXPECT_EQ(run.open_fields("build/ask-1/reply"), Json::parse(R"({"team":"w-20261116-1a2b","member":"builder",
      "message":17,"text":"left","by":"kim","question":"Left or right?"})"));
  run.done("build/ask-1/reply");
  EXPECT_TRUE(run.commands.empty());
  run.done("build");
  EXPECT_EQ(run.state.ending, status::kDone);
}

TEST(AskingTest, WhoEndsItsTurnJustWhenTheAnswerIsSentIsToldItAndHasNotFailed) {
  RunForTest run(pinned_for_test({agent_phase("build")}));
  run.start();
  run.happens({question_of("builder")});
  run.done("build/ask-1", {{"answer", "left"}, {"by", "kim"}});
  run.done("build/ask-1/reply");
  run.failed("build", "protocol", "no JSON");
  EXPECT_EQ(run.said("build", "rung"), "answered");
  EXPECT_EQ(run.said("build", "member"), "builder");
  EXPECT_NE(run.said("build").find("left"), std::string::npos) << run.said("build");
  run.failed("build", "protocol", "no JSON");
  EXPECT_EQ(run.said("build", "rung"), "mend") << "that was one too many";
}

TEST(AskingTest, AReplyThatCannotBeToldHoldsUpNothing) {
  RunForTest run(pinned_for_test({agent_phase("build")}));
  run.start();
  run.happens({question_of("builder")});
  run.done("build/ask-1", {{"answer", "left"}});
  EXPECT_EQ(run.said("build/ask-1/reply", "by"), "owner");
  run.failed("build/ask-1/reply", "failed", "it has left");
  EXPECT_TRUE(run.commands.empty());
}

TEST(AskingTest, WhoEndsItsTurnToWaitHasNotFailed) {
  RunForTest run(pinned_for_test({agent_phase("build")}));
  run.start();
  run.happens({question_of("builder")});
  run.failed("build", "protocol", "it ended without an answer");
  EXPECT_EQ(run.decided(), "pause build");
  EXPECT_EQ(run.open_ids(), ids({"build/ask-1.1"}));
  run.done("build/ask-1", {{"answer", "left, and\nslowly"}, {"by", "kim"}});
  EXPECT_EQ(run.decided(), "turn build.2");
  EXPECT_EQ(run.said("build", "rung"), "answered");
  EXPECT_EQ(run.said("build", "member"), "builder");
  const std::string said = run.said("build");
  EXPECT_NE(said.find("Your question was answered."), std::string::npos) << said;
  EXPECT_NE(said.find("Left or right?"), std::string::npos);
  EXPECT_NE(said.find("begins: words of kim]\nleft, and\nslowly\n["), std::string::npos) << "as that person's words";
  EXPECT_EQ(run.state.tries.at("build").retries + run.state.tries.at("build").mends, 0) << "it is no rung";
  run.failed("build", "protocol");
  EXPECT_EQ(run.said("build", "rung"), "mend") << "nothing is open any more that it could wait for";
}

TEST(AskingTest, OtherTroubleIsTroubleAlsoWhileAQuestionIsOpen) {
  RunForTest run(pinned_for_test({agent_phase("build")}));
  run.start();
  run.happens({question_of("builder")});
  run.failed("build", "crashed");
  EXPECT_EQ(run.said("build", "rung"), "retry");
  run.happens({question_of("somebody", 20)});
  run.done("build/ask-1", {{"answer", "left"}, {"by", "kim"}});
  run.failed("build", "protocol");
  EXPECT_EQ(run.said("build", "rung"), "answered") << "which may have come too late for its turn";
  run.failed("build", "protocol");
  EXPECT_EQ(run.said("build", "rung"), "mend") << "the open question is another's";
}

TEST(AskingTest, AMemberThatForgotMeanwhileGetsTheWhole) {
  RunForTest run(pinned_for_test({agent_phase("build")}));
  run.start();
  run.happens({question_of("builder")});
  run.failed("build", "protocol");
  run.happens({event::MemberLost{"builder", "the keeper died"}});
  run.done("build/ask-1", {{"answer", "left"}, {"by", "kim"}});
  EXPECT_EQ(run.said("build").find("Do build."), 0U) << run.said("build");
  EXPECT_NE(run.said("build").find("You had asked:"), std::string::npos);
}

TEST(AskingTest, WhoWaitsKeepsItsItemAndOthersGoOn) {
  RunForTest run(pinned_items({fanout({"a", "b", "c"}, 2)}));
  run.start();
  run.serve();
  run.happens({question_of("scout-1")});
  EXPECT_EQ(run.decided(), "ask research/ask-1.1");
  run.failed("research/1", "protocol");
  EXPECT_EQ(run.decided(), "pause research/1");
  run.done("research/2", "B");
  EXPECT_EQ(run.said("research/3", "member"), "scout-2") << "who waits is not free";
  run.done("research/ask-1", {{"answer", "left"}, {"by", "kim"}});
  EXPECT_EQ(run.said("research/1", "member"), "scout-1");
  EXPECT_EQ(run.said("research/1", "rung"), "answered");
  run.done("research/1", "A");
  run.done("research/3", "C");
  run.serve();
  EXPECT_EQ(run.state.ending, status::kDone);
}

TEST(AskingTest, AnAnswerThatMeetsASpentBudgetIsNotForgotten) {
  Pinned pinned = pinned_for_test({agent_phase("build")});
  pinned.workflow.budget.turns = 1;
  RunForTest run(pinned);
  run.start();
  run.happens({question_of("builder")});
  run.settle(read_event_body(event::Failed::kKind,
                             Json::parse(R"({"fault":"protocol","error":"x","usage":{"input_tokens":1}})")),
             "build");
  run.done("build/ask-1", {{"answer", "left"}, {"by", "kim"}});
  EXPECT_EQ(run.decided(), "ask build/budget.1");
  run.done("build/budget", {{"answer", "raise"}});
  EXPECT_EQ(run.said("build", "rung"), "answered");
  EXPECT_NE(run.said("build").find("words of kim]\nleft"), std::string::npos) << run.said("build");
}

TEST(AskingTest, AnswersAlsoReachWhoAskedBeforeTheFirstPhase) {
  RunForTest run(pinned_for_test({agent_phase("build")}));
  run.happens({event::Started{}});
  run.happens({question_of("builder")});
  EXPECT_EQ(run.decided(), "ask lead/ask-1.1");
  run.settle(event::TeamReady{}, "team");
  run.done("lead/ask-1", {{"answer", "left"}, {"by", "kim"}});
  EXPECT_EQ(run.decided(), "reply lead/ask-1/reply.1");
  run.failed("lead/ask-1/reply", "failed", "gone");
  EXPECT_TRUE(run.commands.empty());
}

TEST(AskingTest, ARunThatEndsIsNotAsked) {
  RunForTest run(pinned_for_test({agent_phase("build")}));
  run.start();
  run.happens({event::CancelAsked{{.by = "kim"}}});
  run.happens({question_of("builder")});
  EXPECT_TRUE(run.commands.empty());
  run.finish();
  run.happens({question_of("builder", 18)});
  EXPECT_TRUE(run.commands.empty());
}

}  // namespace
}  // namespace teamster::workflow
