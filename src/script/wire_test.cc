#include "script/wire.h"

#include <regex>
#include <set>

#include <gtest/gtest.h>

#include "env/sim/sim_clock.h"
#include "env/sim/sim_random.h"

namespace teamster::script {
namespace {

class WireTest : public testing::Test {
 protected:
  env::sim::SimClock clock_;
  env::sim::SimRandom random_{1};
  Wire wire_{clock_, random_, "session"};
};

TEST_F(WireTest, TheOrderOfKeysIsNotToBeReliedOn) {
  std::set<std::string> beginnings;
  for (int i = 0; i < 20; ++i) {
    const std::string line = wire_.user_text("x", false);
    EXPECT_TRUE(line.ends_with("}\n"));
    EXPECT_FALSE(line.starts_with(R"({"type")")) << line;
    beginnings.insert(line.substr(0, line.find(':')));
    EXPECT_EQ(Json::parse(line)["type"], "user");
  }
  EXPECT_GT(beginnings.size(), 2U);
}

TEST_F(WireTest, AResultHasTheMeasuredFields) {
  ResultFacts facts;
  facts.result = "done";
  facts.stop_reason = "end_turn";
  facts.usage = {1, 2, 3, 4, 0.1};
  facts.total = {10, 20, 30, 40, 1.0};
  facts.spent["m"] = facts.total;
  facts.model = "m";
  const UserMessage prompt{"p", "p", "u1"};
  const Json line = Json::parse(wire_.result(facts, &prompt));
  for (const char* key : {"type",
                          "subtype",
                          "is_error",
                          "result",
                          "session_id",
                          "uuid",
                          "num_turns",
                          "result_index",
                          "queued_turn_count",
                          "stop_reason",
                          "terminal_reason",
                          "api_error_status",
                          "duration_ms",
                          "duration_api_ms",
                          "total_cost_usd",
                          "usage",
                          "modelUsage",
                          "permission_denials",
                          "subagent_stats",
                          "model_usage_since_last_result"})
    EXPECT_TRUE(line.contains(key)) << key;
  EXPECT_FALSE(line.contains("structured_output"));
  EXPECT_FALSE(line.contains("origin"));
  EXPECT_EQ(line["usage"]["cache_read_input_tokens"], 3);
  EXPECT_EQ(line["total_cost_usd"], 1.0);
  EXPECT_EQ(line["modelUsage"]["m"]["inputTokens"], 10);
  EXPECT_EQ(line["model_usage_since_last_result"]["m"]["costUSD"], 0.1);
  EXPECT_EQ(line["user_message_uuids"], Json::array({"u1"}));
}

TEST_F(WireTest, IdsAreUuids) {
  const std::regex uuid("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}");
  std::set<std::string> all;
  for (int i = 0; i < 100; ++i) {
    const auto id = wire_.new_uuid();
    EXPECT_TRUE(std::regex_match(id, uuid)) << id;
    all.insert(id);
  }
  EXPECT_EQ(all.size(), 100U);
}

TEST_F(WireTest, AReplayIsTheMessageAsItCame) {
  const UserMessage message{"hi", Json::parse(R"([{"type":"text","text":"hi"}])"), 17};
  const Json line = Json::parse(wire_.replay(message));
  EXPECT_EQ(line["message"]["content"], message.content);
  EXPECT_EQ(line["uuid"], 17);
  EXPECT_EQ(line["isReplay"], true);
}

}  // namespace
}  // namespace teamster::script
