#include "agent/claude/claude_session.h"

#include "agent/claude/claude_session_for_test.h"

namespace teamster::agent {
namespace {

TEST_F(ClaudeSessionTest, AsksAtItsStartWhetherTheAgentIsUp) {
  start();
  const auto lines = heard();
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0]["request"]["subtype"], "initialize");
  EXPECT_FALSE(session_->is_working());
  EXPECT_EQ(session_->pid(), program().pid);
}

TEST_F(ClaudeSessionTest, ATurnFromPromptToResult) {
  start_and_greet();
  session_->say({"a", "hello"});
  EXPECT_TRUE(session_->is_working());
  const auto lines = heard();
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0]["uuid"], "a");
  EXPECT_EQ(lines[0]["message"]["content"], "hello");
  whole_turn("a", {{"result", "bye"}});
  EXPECT_FALSE(session_->is_working());
  EXPECT_EQ(listener_.heard(), (Lines{"turn started", "a accepted", "a taken", "resumable s", "text answer", "a done",
                                      "turn ended none"}));
  EXPECT_EQ(listener_.ends.at(0).text, "bye");
  EXPECT_EQ(listener_.ends.at(0).inputs, Lines{"a"});
}

TEST_F(ClaudeSessionTest, TwoInputsAndOneResult) {
  start_and_greet();
  session_->say({"a", "first"});
  lifecycle("a", "queued");
  lifecycle("a", "started");
  init();
  session_->say({"b", "second"});
  lifecycle("b", "queued");
  lifecycle("b", "started");
  lifecycle("b", "completed");
  result();
  lifecycle("a", "completed");
  EXPECT_EQ(listener_.heard(), (Lines{"turn started", "a accepted", "a taken", "resumable s", "b accepted", "b taken",
                                      "a done", "b done", "turn ended none"}));
  EXPECT_EQ(listener_.ends.at(0).inputs, (Lines{"a", "b"}));
}

TEST_F(ClaudeSessionTest, AnInputThatCameTooLateHasATurnOfItsOwn) {
  start_and_greet();
  session_->say({"a", "first"});
  lifecycle("a", "queued");
  lifecycle("a", "started");
  init();
  session_->say({"b", "second"});
  lifecycle("b", "queued");
  result();
  EXPECT_EQ(listener_.ends.at(0).inputs, Lines{"a"});
  EXPECT_FALSE(session_->is_working());
  listener_.heard();
  lifecycle("a", "completed");
  lifecycle("b", "started");
  EXPECT_TRUE(session_->is_working());
  init();
  result();
  EXPECT_EQ(listener_.heard(), (Lines{"turn started", "b taken", "resumable s", "b done", "turn ended none"}));
}

// Programs of before `command_lifecycle` say nothing about inputs.
TEST_F(ClaudeSessionTest, WithoutNewsOfInputsATurnTakesWhatWasThereWhenItBegan) {
  start_and_greet();
  session_->say({"a", "first"});
  init();
  session_->say({"b", "second"});
  result();
  EXPECT_EQ(listener_.heard(),
            (Lines{"turn started", "resumable s", "a accepted", "a taken", "a done", "b done", "turn ended none"}));
}

TEST_F(ClaudeSessionTest, ATurnThatNobodyAskedForIsOneOfItsOwn) {
  start_and_greet();
  init();
  speak("a task has ended");
  result({{"origin", {{"kind", "task-notification"}}}, {"result", "a task has ended"}});
  EXPECT_EQ(listener_.heard(), (Lines{"resumable s", "turn started", "text a task has ended", "turn ended none"}));
  EXPECT_FALSE(listener_.ends.at(0).solicited);
  EXPECT_TRUE(listener_.ends.at(0).inputs.empty());
}

TEST_F(ClaudeSessionTest, AnUnsolicitedResultDoesNotAnswerWhatWasJustSaid) {
  start_and_greet();
  session_->say({"a", "first"});
  whole_turn("a");
  session_->say({"b", "second"});
  listener_.heard();
  init();
  result({{"origin", {{"kind", "task-notification"}}}, {"result", "unasked"}});
  EXPECT_FALSE(listener_.ends.at(1).solicited);
  EXPECT_TRUE(listener_.ends.at(1).inputs.empty()) << "b waits for its own";
  EXPECT_TRUE(session_->is_working());
  listener_.heard();
  whole_turn("b", {{"result", "asked"}});
  EXPECT_EQ(listener_.ends.at(2).inputs, Lines{"b"});
  EXPECT_EQ(listener_.ends.at(2).text, "asked");
  EXPECT_EQ(listener_.heard(),
            (Lines{"b accepted", "b taken", "resumable s", "text answer", "b done", "turn ended none"}));
}

TEST_F(ClaudeSessionTest, AResultBetweenTurnsIsNoTurn) {
  start_and_greet();
  result({{"is_error", true}, {"terminal_reason", "aborted_streaming"}});
  EXPECT_TRUE(listener_.heard().empty());
  session_->say({"a", "hello"});
  whole_turn("a");
  EXPECT_EQ(listener_.ends.size(), 1U);
}

TEST_F(ClaudeSessionTest, InterruptCutsTheTurnAndTheConversationGoesOn) {
  start_and_greet();
  session_->say({"a", "hello"});
  lifecycle("a", "queued");
  lifecycle("a", "started");
  init();
  heard();
  session_->interrupt();
  session_->interrupt();
  const auto lines = heard();
  ASSERT_EQ(lines.size(), 1U) << "once";
  EXPECT_EQ(lines[0]["request"]["subtype"], "interrupt");
  reply_to_control(lines[0]["request_id"]);
  result({{"is_error", true}, {"terminal_reason", "aborted_streaming"}});
  lifecycle("a", "cancelled");
  EXPECT_EQ(listener_.ends.at(0).fault, Fault::interrupted);
  EXPECT_TRUE(program().signals.empty());
  session_->say({"b", "go on"});
  whole_turn("b");
  EXPECT_TRUE(listener_.ends.at(1).is_good()) << "the cut is forgotten";
  pass(1h);
  EXPECT_TRUE(program().signals.empty()) << "no timer of the cut turn is left";
}

// With "priority":"now" a cut turn looks like a success.
TEST_F(ClaudeSessionTest, ACutTurnThatLooksLikeASuccessIsStillCut) {
  start_and_greet();
  session_->say({"a", "hello"});
  init();
  result({{"is_error", false}, {"terminal_reason", "aborted_tools"}, {"result", "half"}});
  EXPECT_EQ(listener_.ends.at(0).fault, Fault::interrupted);
  EXPECT_EQ(listener_.heard().back(), "turn ended interrupted");
}

TEST_F(ClaudeSessionTest, InterruptBetweenTurnsSaysNothing) {
  start_and_greet();
  session_->interrupt();
  EXPECT_EQ(program().heard(), "");
}

TEST_F(ClaudeSessionTest, APermissionIsAnsweredOnThePipe) {
  start_and_greet();
  session_->say({"a", "hello"});
  init();
  heard();
  listener_.permission = {.allow = false, .message = "not here"};
  write({{"type", "control_request"},
         {"request_id", "p1"},
         {"request", {{"subtype", "can_use_tool"}, {"tool_name", "Bash"}, {"input", Json::object()}}}});
  const auto lines = heard();
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0]["response"]["request_id"], "p1");
  EXPECT_EQ(lines[0]["response"]["response"], Json({{"behavior", "deny"}, {"message", "not here"}}));
}

TEST_F(ClaudeSessionTest, CostsThatAddUpAreToldPerTurn) {
  start_and_greet();
  for (const auto& [id, sum] : {std::pair("a", 0.25), std::pair("b", 0.75), std::pair("c", 0.75)}) {
    session_->say({id, "x"});
    whole_turn(id, {{"total_cost_usd", sum}});
  }
  EXPECT_EQ(listener_.ends.at(0).usage.cost_usd, 0.25);
  EXPECT_EQ(listener_.ends.at(1).usage.cost_usd, 0.5);
  EXPECT_EQ(listener_.ends.at(2).usage.cost_usd, 0.0);
}

TEST_F(ClaudeSessionTest, AResumedConversationGoesOnFromWhatItHadCost) {
  start_and_greet(2.0);
  session_->say({"a", "x"});
  whole_turn("a", {{"total_cost_usd", 2.5}});
  EXPECT_EQ(listener_.ends.at(0).usage.cost_usd, 0.5);
}

// The sum of a process that was killed is not always in what its successor counts.
TEST_F(ClaudeSessionTest, ASumThatBeginsAgainIsTheTurns) {
  start_and_greet(2.0);
  session_->say({"a", "x"});
  whole_turn("a", {{"total_cost_usd", 0.5}});
  EXPECT_EQ(listener_.ends.at(0).usage.cost_usd, 0.5);
  session_->say({"b", "x"});
  whole_turn("b", {{"total_cost_usd", 0.75}});
  EXPECT_EQ(listener_.ends.at(1).usage.cost_usd, 0.25);
}

TEST_F(ClaudeSessionTest, WhatTheProgramSaysAboutTheTurnWins) {
  start_and_greet();
  session_->say({"a", "x"});
  whole_turn("a", {{"total_cost_usd", 9.0}, {"model_usage_since_last_result", {{"m", {{"costUSD", 0.125}}}}}});
  EXPECT_EQ(listener_.ends.at(0).usage.cost_usd, 0.125);
}

TEST_F(ClaudeSessionTest, WithoutAnyCostThereIsNone) {
  start_and_greet();
  session_->say({"a", "x"});
  whole_turn("a");
  EXPECT_EQ(listener_.ends.at(0).usage.cost_usd, std::nullopt);
}

TEST_F(ClaudeSessionTest, AProviderThatSaysNoIsShownWhileItIsTriedAgain) {
  start_and_greet();
  session_->say({"a", "x"});
  listener_.heard();
  write({{"type", "system"},
         {"subtype", "api_retry"},
         {"attempt", 1},
         {"error_status", 429},
         {"error", "rate_limit"},
         {"retry_delay_ms", 580}});
  const auto lines = listener_.heard();
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(lines[0].starts_with("status ")) << lines[0];
  EXPECT_NE(lines[0].find("429"), std::string::npos);
  EXPECT_NE(lines[0].find("580 ms"), std::string::npos);
}

}  // namespace
}  // namespace teamster::agent
