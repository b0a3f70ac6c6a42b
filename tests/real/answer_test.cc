// Answers of a real Claude Code that must have a shape: by the team's `report` tool, as JSON in
// its words, mended once, or wrong for good.
#include <gtest/gtest.h>

#include "real/real_run.h"
#include "real/real_team.h"

namespace teamster::real {
namespace {

class Answers : public testing::Test {
 protected:
  // A team whose builder says this, and is asked for a score.
  void begin(const Turns& turns) {
    team_ = std::make_unique<RealTeam>(Words{"builder"}, Turns{conversation_of("builder", turns)});
    schema_ = team_->home().scratch() + "/score.json";
    e2e::write_file(schema_, R"({"type": "object", "required": ["score"], "additionalProperties": false,
                                 "properties": {"score": {"type": "integer", "minimum": 0}}})");
    team_->start("builder");
  }
  Json ask() { return team_->say_to("builder", "how good is it?", {"--schema", schema_}); }
  Outcome ask_in_vain() { return team_->say_in_vain("builder", "how good is it?", {"--schema", schema_}); }
  std::vector<Json> requests() const { return team_->requests_of("builder"); }

  std::unique_ptr<RealTeam> team_;
  std::string schema_;
};

TEST_F(Answers, ComeByTheReportTool) {
  begin({report({{"score", 7}}), say("never asked for")});
  const Json answer = ask();
  EXPECT_EQ(answer.value("result", Json()), Json({{"score", 7}})) << answer;
  EXPECT_EQ(requests().size(), 1U) << "with the report the turn is over: no model is asked for a last word";
  // It was told what is wanted.
  EXPECT_NE(requests().at(0).value("last", "").find("\"minimum\""), std::string::npos) << requests().at(0)["last"];
}

TEST_F(Answers, AreCheckedByTheReportToolAtOnce) {
  begin({report({{"score", "high"}}), report({{"score", 8}}), say("never asked for")});
  const Json answer = ask();
  EXPECT_EQ(answer.value("result", Json()), Json({{"score", 8}})) << answer;
  ASSERT_EQ(requests().size(), 2U);  // within one turn
  EXPECT_NE(requests()[1].value("last", "").find("does not conform"), std::string::npos) << requests()[1]["last"];
  EXPECT_EQ(team_->listed("builder").value("turns", 0), 1);
}

TEST_F(Answers, AreFoundInTheLastWords) {
  begin({say("It is fine, so:\n\n```json\n{\"score\": 3}\n```\n")});
  const Json answer = ask();
  EXPECT_EQ(answer.value("result", Json()), Json({{"score", 3}})) << answer;
  EXPECT_EQ(requests().size(), 1U);
}

TEST_F(Answers, AreMendedOnce) {
  begin(
      {say("I would give it a high score: {\"score\": \"high\"}"), expecting(say("{\"score\": 5}"), "cannot be used")});
  const Json answer = ask();
  EXPECT_EQ(answer.value("result", Json()), Json({{"score", 5}})) << answer;
  ASSERT_EQ(requests().size(), 2U);
  const std::string told = requests()[1].value("last", "");
  EXPECT_NE(told.find("score"), std::string::npos) << told;
  EXPECT_NE(told.find("JSON only"), std::string::npos) << told;
  // Both turns are counted.
  EXPECT_EQ(team_->listed("builder").at("usage").value("turns", 0), 2);
  EXPECT_EQ(team_->listed("builder").at("usage").value("output_tokens", 0), 40);
}

TEST_F(Answers, ThatStayWrongAreAnErrorThatSaysWhy) {
  begin({say("{\"score\": -1}"), say("{\"score\": -2}"), say("quite well, thank you")});
  const Outcome outcome = ask_in_vain();
  const std::string error = outcome.json.value("error", "");
  EXPECT_NE(error.find("score"), std::string::npos) << outcome;
  EXPECT_NE(error.find("shape"), std::string::npos) << outcome;
  EXPECT_FALSE(outcome.json.contains("result")) << outcome;
  EXPECT_EQ(requests().size(), 2U);
  EXPECT_TRUE(team_->has_state("builder", "failing"));
  // One answer was wrong; the agent is not.
  EXPECT_EQ(team_->say_to("builder", "how are you?").value("text", ""), "quite well, thank you");
  EXPECT_TRUE(team_->has_state("builder", "idle"));
}

TEST_F(Answers, OfAnEarlierQuestionAreNotTakenForThisOne) {
  begin({report({{"score", 7}}), say("Reported."), say("No idea."), say("Really, none.")});
  EXPECT_EQ(ask().value("result", Json()), Json({{"score", 7}}));
  EXPECT_NE(ask_in_vain().json.value("error", "").find("there is no JSON"), std::string::npos);
}

}  // namespace
}  // namespace teamster::real
