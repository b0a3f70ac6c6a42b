// Answers that have to have a shape: found, mended once, or given up with an explanation.
#include "agent/hosted_member.h"

#include "agent/hosted_member_for_test.h"
#include "base/limits.h"

namespace teamster::agent {
namespace {

class HostedAnswerTest : public HostedMemberTest {
 protected:
  void ask() {
    member_->ask({"rate it", kSchema}, [this](const TurnResult& result) { results_.push_back(result); });
    ASSERT_TRUE(wait_said(1));
  }
  std::string file(const std::string& name) { return hubs_.home().member_directory("alpha", "builder") + "/" + name; }
  // The answer is told when the journal has it.
  bool wait_results(std::size_t count) {
    return within(5s, [&] { return results_.size() >= count; });
  }
  void report(const Json& result) {
    ASSERT_TRUE(view_.files.write_atomically(file("report.json"), dump_json({{"result", result}}), 0600));
  }

  const Json kSchema = {
      {"type", "object"}, {"required", {"score"}}, {"properties", {{"score", {{"type", "integer"}}}}}};
  std::vector<TurnResult> results_;
};

TEST_F(HostedAnswerTest, OfTheRightShapeIsTheResult) {
  start_and_wait();
  ask();
  EXPECT_TRUE(has(text(0), R"("required":["score"])"));
  EXPECT_TRUE(has(text(0), "`report`"));
  agent().answer(R"(It is {"score": 3}.)");
  ASSERT_TRUE(wait_results(1));
  EXPECT_EQ(results_[0].answer.value, Json({{"score", 3}}));
  EXPECT_EQ(results_[0].answer.source, "text");
  ASSERT_TRUE(within(5s, [&] { return ended_turns().size() == 1; }));
  EXPECT_EQ(ended_turns()[0]["result"], Json({{"score", 3}}));
}

TEST_F(HostedAnswerTest, StructuredOutputCounts) {
  start_and_wait();
  ask();
  agent().take();
  agent().end({.text = "see there", .structured = Json{{"score", 4}}, .inputs = {agent().last()}});
  ASSERT_TRUE(wait_results(1));
  EXPECT_EQ(results_[0].answer.value, Json({{"score", 4}}));
}

TEST_F(HostedAnswerTest, AReportCountsBeforeItsWords) {
  start_and_wait();
  ask();
  report({{"score", 5}});
  agent().answer(R"({"score": 3})");
  ASSERT_TRUE(wait_results(1));
  EXPECT_EQ(results_[0].answer.value, Json({{"score", 5}}));
  EXPECT_EQ(results_[0].answer.source, "report");
}

TEST_F(HostedAnswerTest, AReportOfAnEarlierTurnIsNotOfThisOne) {
  start_and_wait();
  ask();
  report({{"score", 5}});
  agent().answer("done");
  member_->ask({"rate it again", kSchema}, [this](const TurnResult& result) { results_.push_back(result); });
  ASSERT_TRUE(wait_said(2));
  agent().answer(R"({"score": 6})");
  ASSERT_TRUE(wait_results(2));
  EXPECT_EQ(results_[1].answer.value, Json({{"score", 6}}));
}

TEST_F(HostedAnswerTest, AReportThatIsNoneIsPassedOver) {
  start_and_wait();
  for (const char* content : {"", "{", "[]", "{}", R"({"other":1})"}) {
    results_.clear();
    member_->ask({"rate it", kSchema}, [this](const TurnResult& result) { results_.push_back(result); });
    ASSERT_TRUE(within(5s, [&] { return agent().working; }));
    ASSERT_TRUE(view_.files.write_atomically(file("report.json"), content, 0600));
    agent().answer(R"({"score": 1})");
    ASSERT_TRUE(wait_results(1)) << content;
    EXPECT_EQ(results_[0].answer.source, "text") << content;
  }
}

TEST_F(HostedAnswerTest, ARefusedReportIsWhatTheFailureTellsOf) {
  start_and_wait();
  ask();
  const auto refuse = [&](const std::string& problem) {
    const std::string refused = dump_json({{"turn", 1}, {"problems", {problem}}});
    ASSERT_TRUE(view_.files.write_atomically(file("refused-report.json"), refused, 0600));
  };
  refuse("#/score: it must be an integer");
  agent().answer("I have reported it.");
  ASSERT_TRUE(wait_said(2));
  EXPECT_TRUE(has(text(1), "(report)")) << text(1);
  EXPECT_TRUE(has(text(1), "#/score: it must be an integer")) << text(1);
  agent().answer("I have done so already.");
  ASSERT_TRUE(wait_results(1));
  EXPECT_EQ(results_[0].end.fault, Fault::protocol);
  EXPECT_TRUE(has(results_[0].end.error, "#/score: it must be an integer")) << results_[0].end.error;
  EXPECT_FALSE(has(results_[0].end.error, "no JSON")) << results_[0].end.error;
  // Of the next prompt it is not.
  member_->ask({"rate it again", kSchema}, [this](const TurnResult& result) { results_.push_back(result); });
  ASSERT_TRUE(wait_said(3));
  agent().answer("well");
  ASSERT_TRUE(wait_said(4));
  EXPECT_TRUE(has(text(3), "there is no JSON in the answer")) << text(3);
}

TEST_F(HostedAnswerTest, ARefusedReportGivesWayToWhatItsWordsSay) {
  start_and_wait();
  ask();
  ASSERT_TRUE(view_.files.write_atomically(file("refused-report.json"), R"({"turn":1,"problems":["no"]})", 0600));
  agent().answer(R"({"score": 3})");
  ASSERT_TRUE(wait_results(1));
  EXPECT_EQ(results_[0].answer.value, Json({{"score", 3}}));
}

TEST_F(HostedAnswerTest, OneThatTheJournalCannotKeepWholeIsNone) {
  start_and_wait();
  ask();
  Json large = {{"score", 3}};
  large["notes"] = std::string(limits::kTurnResultMaxBytes, 'x');
  report(large);
  agent().answer("done");
  ASSERT_TRUE(wait_said(2));
  EXPECT_TRUE(has(text(1), "cannot be recorded")) << text(1).substr(0, 400);
  agent().answer(R"({"score": 3})");
  ASSERT_TRUE(wait_results(1));
  EXPECT_EQ(results_[0].answer.value, Json({{"score", 3}}));
}

TEST_F(HostedAnswerTest, TheToolsKnowTheSchemaOfTheRunningTurnAndOfNoOther) {
  start_and_wait();
  ask();
  auto turn = parse_json(*view_.files.read(file("turn.json"), 100'000));
  ASSERT_TRUE(turn);
  EXPECT_EQ((*turn)["schema"], kSchema);
  agent().answer(R"({"score": 3})");
  member_->ask({"just talk"}, [](const TurnResult&) {});
  ASSERT_TRUE(wait_said(2));
  EXPECT_FALSE(view_.files.read(file("turn.json"), 100'000));
}

TEST_F(HostedAnswerTest, IsMendedOnce) {
  start_and_wait();
  ask();
  agent().answer("I would say three.", {.input_tokens = 10, .cost_usd = 0.25});
  EXPECT_TRUE(results_.empty());
  ASSERT_TRUE(wait_said(2));
  EXPECT_TRUE(has(text(1), "there is no JSON in the answer"));
  EXPECT_TRUE(has(text(1), "JSON only, please"));
  EXPECT_TRUE(has(text(1), R"("required":["score"])"));
  agent().answer(R"({"score": 3})", {.input_tokens = 1, .cost_usd = 0.5});
  ASSERT_TRUE(wait_results(1));
  EXPECT_EQ(results_[0].answer.value, Json({{"score", 3}}));
  EXPECT_EQ(results_[0].spent.input_tokens, 11) << "both turns were spent on it";
  EXPECT_EQ(results_[0].spent.cost_usd, 0.75);
  ASSERT_TRUE(within(5s, [&] { return ended_turns().size() == 2; }));
  EXPECT_EQ(ended_turns()[1]["usage"]["input_tokens"], 1) << "the journal counts each turn once";
  EXPECT_EQ(status_of("builder")["usage"]["cost_usd"], 0.75);
}

TEST_F(HostedAnswerTest, ThatStaysWrongIsAFailureThatExplainsItself) {
  start_and_wait();
  ask();
  agent().answer(R"({"score": "high"})");
  ASSERT_TRUE(wait_said(2));
  agent().answer(R"({"score": "very high"})");
  world_.run_for(1s);
  EXPECT_EQ(said(), 2U) << "once, not twice";
  ASSERT_TRUE(wait_results(1));
  EXPECT_FALSE(results_[0].answer.value);
  EXPECT_EQ(results_[0].end.fault, Fault::protocol);
  EXPECT_TRUE(has(results_[0].end.error, "#/score")) << results_[0].end.error;
  ASSERT_TRUE(within(5s, [&] { return ended_turns().size() == 2; }));
  EXPECT_TRUE(has(ended_turns()[1]["error"], "#/score"));
  EXPECT_FALSE(ended_turns()[1].contains("result"));
}

TEST_F(HostedAnswerTest, AFailedTurnIsNotMended) {
  start_and_wait();
  ask();
  agent().take();
  agent().fail_turn(Fault::login, "401");
  world_.run_for(1s);
  EXPECT_EQ(said(), 1U);
  ASSERT_TRUE(wait_results(1));
  EXPECT_EQ(results_[0].end.fault, Fault::login);
}

TEST_F(HostedAnswerTest, AMessageWithAShapeIsAnsweredInTheJournal) {
  start_and_wait();
  const auto id = send("rate it", {{"from", "operator"}, {"schema", kSchema}});
  ASSERT_TRUE(wait_said(1));
  agent().answer("three");
  ASSERT_TRUE(wait_said(2));
  agent().answer(R"({"score": 3})");
  ASSERT_TRUE(within(5s, [&] { return ended_turns().size() == 2; }));
  EXPECT_EQ(ended_turns()[0]["messages"], Json::array()) << "it is not answered yet";
  EXPECT_EQ(ended_turns()[1]["messages"], Json({id}));
  EXPECT_EQ(ended_turns()[1]["result"], Json({{"score", 3}}));
}

TEST_F(HostedAnswerTest, WhatWasFoldedIntoATurnThatIsMendedIsAnsweredWithIt) {
  start_and_wait();
  const auto id = send("rate it", {{"from", "operator"}, {"schema", kSchema}});
  ASSERT_TRUE(wait_said(1));
  agent().take();
  const auto folded = send("be quick");
  ASSERT_TRUE(wait_said(2));
  agent().take();
  agent().end({.text = "three", .inputs = {agent().inputs[0].id, agent().inputs[1].id}});
  ASSERT_TRUE(wait_said(3));
  agent().answer(R"({"score": 3})");
  ASSERT_TRUE(within(5s, [&] { return ended_turns().size() == 2; }));
  const auto messages = ended_turns()[1]["messages"].get<std::vector<std::int64_t>>();
  EXPECT_EQ(std::set(messages.begin(), messages.end()), (std::set{id, folded})) << "somebody waits for each of them";
}

TEST_F(HostedAnswerTest, WhatComesWhileItIsMendedDoesNotSpoilIt) {
  start_and_wait();
  ask();
  agent().answer("three");
  ASSERT_TRUE(wait_said(2));
  agent().take();
  send("by the way");
  ASSERT_TRUE(wait_said(3));
  agent().take();
  agent().end({.text = R"({"score": 3})", .inputs = {agent().inputs[1].id, agent().inputs[2].id}});
  ASSERT_TRUE(wait_results(1));
  EXPECT_EQ(results_[0].answer.value, Json({{"score", 3}}));
}

TEST_F(HostedAnswerTest, ACrashWhileItIsMendedBeginsItAnew) {
  start_and_wait();
  ask();
  agent().answer("three");
  ASSERT_TRUE(wait_said(2));
  agent().take();
  agent().die("exited with code 3");
  EXPECT_TRUE(results_.empty());
  ASSERT_TRUE(within(5s, [&] { return driver_.starts == 2; }));
  ASSERT_TRUE(wait_said(1));
  EXPECT_TRUE(has(text(0), "rate it"));
  agent().answer(R"({"score": 3})");
  ASSERT_TRUE(wait_results(1));
  EXPECT_EQ(results_[0].answer.value, Json({{"score", 3}}));
}

TEST_F(HostedAnswerTest, ASchemaThatCannotBeUsedIsSaidAndTheTurnGoesOn) {
  start_and_wait();
  member_->ask({"rate it", Json{{"type", "no such type"}}},
               [this](const TurnResult& result) { results_.push_back(result); });
  ASSERT_TRUE(wait_said(1));
  EXPECT_FALSE(notes_.empty());
  agent().answer("three");
  ASSERT_TRUE(wait_results(1));
}

}  // namespace
}  // namespace teamster::agent
