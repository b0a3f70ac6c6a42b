// When a session with a program goes wrong: limits, noise, deaths, and how it is closed.
#include <csignal>

#include "agent/claude/claude_session.h"
#include "agent/claude/claude_session_for_test.h"

namespace teamster::agent {
namespace {

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

TEST_F(ClaudeSessionTest, WhatCannotBeStartedIsAnError) {
  processes_.refusal = "no such program";
  const auto started =
      ClaudeSession::start(processes_.in(view_), {"/bin/claude", {"claude"}, {}, ""}, limits_, 0, listener_);
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, Code::not_found);
}

}  // namespace
}  // namespace teamster::agent
