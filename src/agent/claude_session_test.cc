#include "agent/claude_session.h"

#include <csignal>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "agent/fake_program_for_test.h"
#include "agent/recorded_listener_for_test.h"
#include "base/json.h"

namespace teamster::agent {
namespace {

using namespace std::chrono_literals;
using Lines = std::vector<std::string>;

class ClaudeSessionTest : public testing::Test {
 protected:
  void start(double cost_so_far_usd = 0) {
    auto started = ClaudeSession::start(processes_.in(host_.view()), {"/bin/claude", {"claude"}, {}, ""}, limits_,
                                        cost_so_far_usd, listener_);
    ASSERT_TRUE(started);
    session_ = *std::move(started);
  }
  // Up and idle, and what it said so far is forgotten.
  void start_and_greet(double cost_so_far_usd = 0) {
    start(cost_so_far_usd);
    reply_to_control("teamster-1");
    program().heard();
    listener_.heard();
  }
  FakeProgram& program() { return processes_.last(); }
  void write(const Json& line) { program().write(dump_json(line) + "\n"); }
  void reply_to_control(const std::string& id) {
    write({{"type", "control_response"}, {"response", {{"subtype", "success"}, {"request_id", id}}}});
  }
  void lifecycle(const std::string& id, const char* state) {
    write({{"type", "command_lifecycle"}, {"command_uuid", id}, {"state", state}});
  }
  void init(const std::string& session_id = "s") {
    write({{"type", "system"}, {"subtype", "init"}, {"session_id", session_id}});
  }
  void speak(const std::string& text) {
    write({{"type", "assistant"}, {"message", {{"content", Json::array({{{"type", "text"}, {"text", text}}})}}}});
  }
  void result(const Json& more = Json::object()) {
    Json line = {{"type", "result"}, {"subtype", "success"}, {"is_error", false}, {"result", "ok"}};
    line.update(more);
    write(line);
  }
  // As the real one does it for a prompt when it is idle.
  void whole_turn(const std::string& id, const Json& more = Json::object()) {
    lifecycle(id, "queued");
    lifecycle(id, "started");
    init();
    speak("answer");
    result(more);
    lifecycle(id, "completed");
  }
  // What was written to it since the last look, line by line.
  std::vector<Json> heard() {
    std::vector<Json> lines;
    const std::string text = program().heard();
    std::size_t at = 0;
    for (std::size_t end = 0; (end = text.find('\n', at)) != text.npos; at = end + 1)
      lines.push_back(*parse_json(std::string_view(text).substr(at, end - at)));
    EXPECT_EQ(at, text.size()) << "a line without its end";
    return lines;
  }
  void pass(Duration span) { world_.run_for(span); }

  env::sim::World world_{5};
  env::sim::Host& host_ = world_.start("host");
  env::World view_ = host_.view();
  FakeProcesses processes_{view_.processes};
  SessionLimits limits_;
  RecordedListener listener_;
  std::unique_ptr<Session> session_;
};

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

TEST_F(ClaudeSessionTest, AnAgentThatDoesNotHearAnInterruptIsEnded) {
  limits_.interrupt = 15s;
  start_and_greet();
  session_->say({"a", "hello"});
  init();
  session_->interrupt();
  pass(14s);
  EXPECT_TRUE(program().signals.empty());
  pass(2s);
  EXPECT_EQ(program().signals, std::vector<int>{SIGTERM});
  pass(limits::kAgentTermGrace);
  EXPECT_EQ(program().signals, (std::vector<int>{SIGTERM, SIGKILL}));
  program().die_by(SIGKILL);
  EXPECT_EQ(listener_.ends.at(0).fault, Fault::interrupted);
  EXPECT_TRUE(listener_.ends.at(0).session_over);
  ASSERT_TRUE(listener_.ended);
  EXPECT_FALSE(listener_.ended->expected);
}

TEST_F(ClaudeSessionTest, SilenceCutsATurnAndOutputPutsThatOff) {
  limits_.silence = 60s;
  start_and_greet();
  session_->say({"a", "hello"});
  init();
  for (int i = 0; i < 5; ++i) {
    pass(50s);
    speak("still here");
  }
  heard();
  pass(59s);
  EXPECT_TRUE(heard().empty());
  pass(2s);
  EXPECT_EQ(heard().at(0)["request"]["subtype"], "interrupt");
  result({{"is_error", true}, {"terminal_reason", "aborted_streaming"}});
  EXPECT_EQ(listener_.ends.at(0).fault, Fault::silent);
  EXPECT_NE(listener_.ends.at(0).error.find("said nothing for"), std::string::npos);
  pass(1h);
  EXPECT_TRUE(heard().empty()) << "between turns it may be silent";
}

TEST_F(ClaudeSessionTest, ATurnThatTakesTooLongIsCutThoughItSpeaks) {
  limits_.turn = 100s;
  start_and_greet();
  session_->say({"a", "hello"});
  init();
  heard();
  for (int i = 0; i < 9; ++i) {
    pass(10s);
    speak("still here");
  }
  EXPECT_TRUE(heard().empty());
  pass(11s);
  EXPECT_EQ(heard().at(0)["request"]["subtype"], "interrupt");
  result({{"is_error", true}, {"terminal_reason", "aborted_streaming"}});
  EXPECT_EQ(listener_.ends.at(0).fault, Fault::limit);
}

TEST_F(ClaudeSessionTest, AnAgentThatDoesNotComeUpIsEnded) {
  limits_.start = 60s;
  start();
  pass(61s);
  EXPECT_EQ(program().signals, std::vector<int>{SIGTERM});
  program().die_by(SIGTERM);
  ASSERT_TRUE(listener_.ended);
  EXPECT_FALSE(listener_.ended->expected);
  EXPECT_NE(listener_.ended->what.find("did not answer within 60 s"), std::string::npos) << listener_.ended->what;
}

TEST_F(ClaudeSessionTest, AnAgentThatDoesNotComeUpIsEndedAlsoWhenItWasToldSomething) {
  limits_.start = 60s;
  start();
  session_->say({"a", "hello"});
  pass(61s);
  EXPECT_EQ(program().signals, std::vector<int>{SIGTERM});
  program().die_by(SIGTERM);
  EXPECT_EQ(listener_.ends.at(0).fault, Fault::silent);
  EXPECT_TRUE(listener_.ends.at(0).session_over);
}

TEST_F(ClaudeSessionTest, AnIdleAgentMayBeSilentForever) {
  start_and_greet();
  pass(48h);
  EXPECT_TRUE(program().signals.empty());
  EXPECT_TRUE(listener_.heard().empty());
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

TEST_F(ClaudeSessionTest, LinesCutAnywhereAreReadAsOne) {
  start_and_greet();
  session_->say({"a", "x"});
  const std::string text = R"({"type":"result","result":"ok","is_error":false})"
                           "\n";
  for (const char c : text) program().write(std::string(1, c));
  EXPECT_EQ(listener_.ends.size(), 1U);
}

TEST_F(ClaudeSessionTest, WhatIsNotItsProtocolIsNoiseAndTheTurnGoesOn) {
  start_and_greet();
  session_->say({"a", "x"});
  lifecycle("a", "queued");
  listener_.heard();
  program().write("Warning: something\n\n   \n{\"type\":\n");
  const auto lines = listener_.heard();
  ASSERT_EQ(lines.size(), 2U) << "empty lines are nothing";
  EXPECT_TRUE(lines[0].starts_with("noise "));
  EXPECT_NE(lines[0].find("Warning"), std::string::npos);
  result();
  EXPECT_TRUE(listener_.ends.at(0).is_good());
}

TEST_F(ClaudeSessionTest, TooMuchNoiseEndsTheAgent) {
  start_and_greet();
  session_->say({"a", "x"});
  for (std::size_t i = 1; i < limits::kAgentNoiseLinesMax; ++i) program().write("noise\n");
  EXPECT_TRUE(program().signals.empty());
  program().write("noise\n");
  EXPECT_EQ(program().signals, std::vector<int>{SIGTERM});
  program().write("noise\nnoise\n");
  EXPECT_EQ(program().signals.size(), 1U);
  program().die_by(SIGTERM);
  EXPECT_EQ(listener_.ends.at(0).fault, Fault::protocol);
  EXPECT_TRUE(listener_.ends.at(0).session_over);
}

TEST_F(ClaudeSessionTest, ALineOverTheLimitIsNoiseAndTheNextIsRead) {
  start_and_greet();
  session_->say({"a", "x"});
  lifecycle("a", "queued");
  listener_.heard();
  const std::string piece(1024 * 1024, 'x');
  for (std::size_t bytes = 0; bytes <= limits::kAgentLineMaxBytes; bytes += piece.size()) program().write(piece);
  program().write("\n");
  result();
  const auto lines = listener_.heard();
  ASSERT_FALSE(lines.empty());
  EXPECT_NE(lines[0].find("over the limit"), std::string::npos) << lines[0].substr(0, 200);
  EXPECT_EQ(lines.back(), "turn ended none");
}

TEST_F(ClaudeSessionTest, AProcessThatDiesInATurnEndsIt) {
  start_and_greet();
  session_->say({"a", "x"});
  lifecycle("a", "queued");
  lifecycle("a", "started");
  init();
  session_->say({"b", "y"});
  lifecycle("b", "queued");
  program().complain("panic: out of luck\n");
  listener_.heard();
  program().exit(3);
  EXPECT_EQ(listener_.heard(), (Lines{"a failed", "turn ended crashed", "b failed", "ended"}));
  EXPECT_NE(listener_.ends.at(0).error.find("exited with code 3"), std::string::npos);
  EXPECT_NE(listener_.ends.at(0).error.find("panic: out of luck"), std::string::npos) << "what it said last";
  EXPECT_TRUE(listener_.ends.at(0).session_over);
}

TEST_F(ClaudeSessionTest, AProcessThatEndsBetweenTurnsIsNoTurn) {
  start_and_greet();
  program().die_by(SIGSEGV);
  EXPECT_EQ(listener_.heard(), Lines{"ended"});
  EXPECT_NE(listener_.ended->what.find("signal 11"), std::string::npos);
}

TEST_F(ClaudeSessionTest, AResultThatIsReadAfterTheExitCounts) {
  start_and_greet();
  session_->say({"a", "x"});
  program().exit_only({.signaled = false, .code = 0});
  EXPECT_FALSE(listener_.ended) << "its output is not read to the end";
  whole_turn("a");
  program().end_output();
  EXPECT_TRUE(listener_.ends.at(0).is_good());
  ASSERT_TRUE(listener_.ended);
}

TEST_F(ClaudeSessionTest, AnOutputThatSomebodyElseHoldsOpenIsNotWaitedForLong) {
  start_and_greet();
  program().exit_only({.signaled = false, .code = 0});
  pass(limits::kAgentDrainDeadline - 100ms);
  EXPECT_FALSE(listener_.ended);
  pass(200ms);
  EXPECT_TRUE(listener_.ended);
}

TEST_F(ClaudeSessionTest, CloseEndsItsInputAndThatIsExpected) {
  start_and_greet();
  session_->close();
  EXPECT_TRUE(program().input_ended);
  EXPECT_EQ(program().heard(), "") << "nothing is to be cut";
  program().exit(0);
  EXPECT_EQ(listener_.heard(), Lines{"ended as expected"});
}

TEST_F(ClaudeSessionTest, CloseInATurnCutsIt) {
  start_and_greet();
  session_->say({"a", "x"});
  init();
  heard();
  session_->close();
  EXPECT_EQ(heard().at(0)["request"]["subtype"], "interrupt");
  EXPECT_TRUE(program().input_ended);
  result({{"is_error", true}, {"terminal_reason", "aborted_streaming"}});
  program().exit(0);
  EXPECT_EQ(listener_.ends.at(0).fault, Fault::interrupted);
  EXPECT_EQ(listener_.heard().back(), "ended as expected");
}

TEST_F(ClaudeSessionTest, ADeafAgentIsEndedByForce) {
  start_and_greet();
  session_->close();
  session_->close();
  pass(limits::kAgentCloseGrace + 1ms);
  EXPECT_EQ(program().signals, std::vector<int>{SIGTERM});
  pass(limits::kAgentTermGrace + 1ms);
  EXPECT_EQ(program().signals, (std::vector<int>{SIGTERM, SIGKILL}));
  program().die_by(SIGKILL);
  EXPECT_EQ(listener_.heard(), Lines{"ended as expected"});
}

TEST_F(ClaudeSessionTest, AConversationThatIsNotKnownIsLost) {
  start();
  session_->say({"a", "x"});
  result({{"is_error", true},
          {"subtype", "error_during_execution"},
          {"result", nullptr},
          {"errors", {"No conversation found with session ID: s"}}});
  program().exit(1);
  ASSERT_TRUE(listener_.ended);
  EXPECT_TRUE(listener_.ended->conversation_is_lost);
  EXPECT_TRUE(listener_.ends.at(0).session_over) << "a was not answered: it is to be said again";
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

TEST_F(ClaudeSessionTest, WhatCannotBeStartedIsAnError) {
  processes_.refusal = "no such program";
  const auto started =
      ClaudeSession::start(processes_.in(view_), {"/bin/claude", {"claude"}, {}, ""}, limits_, 0, listener_);
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, Code::not_found);
}

}  // namespace
}  // namespace teamster::agent
