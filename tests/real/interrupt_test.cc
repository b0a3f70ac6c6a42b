// Interrupts of a real Claude Code: the running turn is cut and the urgent message is answered.
#include <gtest/gtest.h>

#include "real/real_team.h"

namespace teamster::real {
namespace {

// An interrupt is worth its name when it takes less than the agent would.
constexpr Milliseconds kAtOnce = 15s;

void expect_model_knows_of_cut(const Json& next_request) {
  EXPECT_NE(next_request.value("text", "").find("[Request interrupted by user"), std::string::npos) << next_request;
}

// The first prompt was cut and the model told so. It is told again with the second, whose answer is that to both.
void expect_cut(e2e::Process& prompt, const std::string& answer, const Json& next_request) {
  EXPECT_EQ(prompt.wait(), 0) << prompt.err();
  EXPECT_EQ(document_of(prompt).value("text", ""), answer);
  expect_model_knows_of_cut(next_request);
}

TEST(Interrupt, CutsAnAnswerThatIsBeingStreamed) {
  Json endless = say(std::string(4000, '.'));
  endless["thinking"] = "this will be long";
  endless["stall"] = "middle";
  RealTeam team({"builder"},
                {conversation_of("builder", {endless, expecting(say("the roof, then"), "build the roof instead")})});
  team.start("builder");
  auto prompt = team.say_aside("builder", "build the cellar");
  // The stream is past its first block.
  ASSERT_TRUE(eventually([&] { return !team.transcript_of("builder", "thinking").empty(); }));
  const auto before = std::chrono::steady_clock::now();
  const Json answer = team.say_to("builder", "build the roof instead", {"--interrupt"});
  EXPECT_LT(std::chrono::steady_clock::now() - before, kAtOnce);
  EXPECT_EQ(answer.value("text", ""), "the roof, then") << answer;
  const auto requests = team.requests_of("builder");
  ASSERT_EQ(requests.size(), 2U);
  expect_cut(prompt, "the roof, then", requests[1]);
  EXPECT_TRUE(team.server().has_event("cut", requests[0].value("number", std::int64_t{0})));
  // It was seen before it was cut, and is dealt with by the turn that went well.
  EXPECT_TRUE(team.has_receipt(document_of(prompt).value("id", std::int64_t{0}), "acted"));
}

// Nothing was seen of the first message, so it is told again together with the second.
TEST(Interrupt, CutsATurnInWhichTheModelHasSaidNothing) {
  Json silent = say("never said");
  silent["stall"] = "before";
  RealTeam team({"builder"}, {conversation_of("builder", {silent, expecting(say("both, then"), "and the roof")})});
  team.start("builder");
  auto prompt = team.say_aside("builder", "build the cellar");
  ASSERT_TRUE(team.has_requests("builder", 1));
  EXPECT_EQ(team.say_to("builder", "and the roof", {"--interrupt"}).value("text", ""), "both, then");
  const auto requests = team.requests_of("builder");
  ASSERT_EQ(requests.size(), 2U);
  expect_model_knows_of_cut(requests[1]);
  EXPECT_EQ(prompt.wait(), 0) << prompt.err();
  EXPECT_EQ(document_of(prompt).value("text", ""), "both, then");
  const std::string told = requests[1].value("last", "");
  EXPECT_LT(told.rfind("build the cellar"), told.find("and the roof")) << told;
  const auto message = document_of(prompt).value("id", std::int64_t{0});
  EXPECT_TRUE(team.has_receipt(message, "acted"));
  EXPECT_TRUE(team.has_state("builder", "idle"));
  EXPECT_EQ(team.story_of("builder", message),
            Words({"sent", "turn began", "delivered", "turn ended", "turn began", "seen", "acted", "turn ended"}));
}

TEST(Interrupt, EndsAToolThatRuns) {
  RealTeam team({"builder"}, {conversation_of("builder", {run("touch endless; tail -f endless"),
                                                          expecting(say("left it"), "leave that alone")})});
  team.start("builder", {"--allow", "Bash"});
  auto prompt = team.say_aside("builder", "watch the file");
  ASSERT_TRUE(eventually([&] { return !team.processes("tail -f endless").empty(); }, e2e::kPatience));
  const auto before = std::chrono::steady_clock::now();
  const Json answer = team.say_to("builder", "leave that alone", {"--interrupt"});
  EXPECT_LT(std::chrono::steady_clock::now() - before, kAtOnce);
  EXPECT_EQ(answer.value("text", ""), "left it") << answer;
  EXPECT_TRUE(eventually([&] { return team.processes("tail -f endless").empty(); })) << team.leftovers();
  const auto requests = team.requests_of("builder");
  ASSERT_EQ(requests.size(), 2U);
  expect_cut(prompt, "left it", requests[1]);
}

TEST(Interrupt, StartsATurnOfAnIdleMember) {
  RealTeam team({"builder"}, {conversation_of("builder", {say("here")})});
  team.start("builder");
  EXPECT_EQ(team.say_to("builder", "now!", {"--interrupt"}).value("text", ""), "here");
}

}  // namespace
}  // namespace teamster::real
