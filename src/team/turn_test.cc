// Ends of turns: what is recorded of them, what is refused, and how the end of a prompt is found again.
#include "team/turn.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "team/rules_for_test.h"

namespace teamster::team {
namespace {

class TurnTest : public testing::Test {
 protected:
  TurnTest() { EXPECT_TRUE(rules_.call("team.create", {{"team", "alpha"}, {"members", {"builder"}}})); }

  Result<Json> end(const Json& more) {
    Json args = {{"team", "alpha"}, {"member", "builder"}, {"running", false}, {"turn", 1}};
    args.update(more);
    return rules_.call("team.turn", args);
  }
  Json found(const std::string& prompt) {
    const auto answer = rules_.call("turn.get", {{"team", "alpha"}, {"prompt", prompt}});
    EXPECT_TRUE(answer);
    return answer ? answer->at("turn") : Json();
  }
  void expect_invalid(const Json& more, const std::string& names) {
    const auto refused = end(more);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::invalid);
    EXPECT_NE(refused.error().what.find(names), std::string::npos) << refused.error().what;
  }

  Rules rules_;
};

TEST_F(TurnTest, IsFoundByThePromptItAnswered) {
  ASSERT_TRUE(end({{"text", "of nobody's prompt"}}));
  ASSERT_TRUE(end({{"prompt", "w-1/build.1"},
                   {"stop", "end_turn"},
                   {"text", "built"},
                   {"text_bytes", 400},
                   {"text_sha256", "ab"},
                   {"result", {{"files", {"a.cc"}}}},
                   {"restarts", {"crashed: killed"}},
                   {"usage", {{"input_tokens", 1}, {"cost_usd", 0.5}}},
                   {"spent", {{"input_tokens", 3}, {"cost_usd", 1.25}, {"duration_ms", 70}}}}));
  const Json turn = found("w-1/build.1");
  ASSERT_TRUE(turn.is_object());
  EXPECT_EQ(turn["member"], "builder");
  EXPECT_EQ(turn["stop"], "end_turn");
  EXPECT_EQ(turn["text"], "built");
  EXPECT_EQ(turn["text_bytes"], 400);
  EXPECT_EQ(turn["result"], Json::parse(R"({"files":["a.cc"]})"));
  EXPECT_EQ(turn["restarts"], Json::parse(R"(["crashed: killed"])"));
  EXPECT_EQ(turn["usage"]["cost_usd"], 0.5);
  EXPECT_EQ(turn["spent"]["input_tokens"], 3);
  EXPECT_EQ(turn["spent"]["cost_usd"], 1.25);
  EXPECT_EQ(turn["spent"]["duration_ms"], 70);
  EXPECT_TRUE(found("w-1/build.2").is_null());
}

TEST_F(TurnTest, AFailureIsFoundAsOne) {
  ASSERT_TRUE(end({{"prompt", "w-1/build.1"}, {"fault", "rate_limit"}, {"error", "429"}}));
  EXPECT_EQ(found("w-1/build.1")["fault"], "rate_limit");
  EXPECT_FALSE(found("w-1/build.1").contains("result"));
}

TEST_F(TurnTest, WhatASpentPromptCostIsCountedOnce) {
  ASSERT_TRUE(end({{"prompt", "p"}, {"usage", {{"input_tokens", 1}}}, {"spent", {{"input_tokens", 3}}}}));
  const auto status = rules_.call("team.status", {{"team", "alpha"}});
  EXPECT_EQ((*status)["members"][0]["usage"]["input_tokens"], 1) << "the others were told by their own ends";
}

TEST_F(TurnTest, IsThereAfterTheMemberHasANewEpochAndGoneWithTheTeam) {
  ASSERT_TRUE(end({{"prompt", "p"}, {"text", "built"}}));
  ASSERT_TRUE(rules_.call("team.join", {{"team", "alpha"}, {"member", "builder"}}));
  EXPECT_EQ(found("p")["text"], "built");
  ASSERT_TRUE(rules_.call("team.delete", {{"team", "alpha"}, {"force", true}}));
  EXPECT_EQ(rules_.call("turn.get", {{"team", "alpha"}, {"prompt", "p"}}).error().code, Code::not_found);
  rules_.now.unix_ms += 1;
  ASSERT_TRUE(rules_.call("gc", {{"older_than_ms", 0}}));
  EXPECT_TRUE(rules_.store().check(true)->empty());
}

TEST_F(TurnTest, WhatIsTooLargeIsRefusedByItsName) {
  expect_invalid({{"text", std::string(limits::kTurnTextMaxBytes + 1, 'x')}}, "'text'");
  expect_invalid({{"error", std::string(limits::kTurnErrorMaxBytes + 1, 'x')}}, "'error'");
  expect_invalid({{"prompt", std::string(limits::kPromptIdMaxBytes + 1, 'x')}}, "'prompt'");
  expect_invalid({{"result", std::string(limits::kTurnResultMaxBytes, 'x')}}, "'result'");
  expect_invalid({{"restarts", {1}}}, "'restarts'");
  expect_invalid({{"spent", 1}}, "'spent'");
  expect_invalid({{"running", true}, {"prompt", "p"}}, "'prompt'");
  EXPECT_TRUE(end({{"result", std::string(limits::kTurnResultMaxBytes - 2, 'x')}})) << "whole up to the limit";
}

}  // namespace
}  // namespace teamster::team
