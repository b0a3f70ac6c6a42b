// Turns of a real Claude Code that teamster hosts: what it is told, what it answers, what it costs.
#include <gtest/gtest.h>

#include "real/real_team.h"

namespace teamster::real {
namespace {

TEST(Turn, APromptIsAnswered) {
  RealTeam team({"builder"}, {conversation_of("builder", {say("hello, operator")})});
  team.start("builder");
  const Json answer = team.say_to("builder", "hello, builder");
  EXPECT_EQ(answer.value("text", ""), "hello, operator") << answer;
  const auto requests = team.requests_of("builder");
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_NE(requests[0].value("last", "").find("hello, builder"), std::string::npos) << requests[0]["last"];
  EXPECT_TRUE(team.server().surprises().empty());
}

TEST(Turn, TheContextIsKeptOverThreeTurns) {
  RealTeam team({"builder"}, {conversation_of("builder", {say("answer-1"), say("answer-2"), say("answer-3")})});
  team.start("builder");
  for (const auto* number : {"1", "2", "3"})
    EXPECT_EQ(team.say_to("builder", std::string("prompt-") + number).value("text", ""),
              std::string("answer-") + number);
  const auto requests = team.requests_of("builder");
  ASSERT_EQ(requests.size(), 3U);
  const std::string shown = requests[2].value("text", "");
  std::size_t at = 0;
  for (const auto* text : {"prompt-1", "answer-1", "prompt-2", "answer-2", "prompt-3"}) {
    at = shown.find(text, at);
    ASSERT_NE(at, std::string::npos) << text << " is not in its place";
  }
}

TEST(Turn, UsageIsCountedPerTurn) {
  const auto with_usage = [](Json reply, int input, int output, int cached) {
    reply["usage"] = {{"input_tokens", input}, {"output_tokens", output}, {"cache_read_input_tokens", cached}};
    return reply;
  };
  // The second turn has two requests, and the session's own counters go on from the first.
  RealTeam team({"builder"}, {conversation_of("builder", {with_usage(say("one"), 11, 5, 3),
                                                          with_usage(call("list_members", Json::object()), 20, 6, 0),
                                                          with_usage(say("two"), 30, 7, 4)})});
  team.start("builder");
  const Json first = team.say_to("builder", "first")["usage"];
  const Json second = team.say_to("builder", "second")["usage"];
  EXPECT_EQ(first.value("input_tokens", 0), 11);
  EXPECT_EQ(first.value("output_tokens", 0), 5);
  EXPECT_EQ(first.value("cache_read_tokens", 0), 3);
  EXPECT_EQ(second.value("input_tokens", 0), 50);
  EXPECT_EQ(second.value("output_tokens", 0), 13);
  EXPECT_EQ(second.value("cache_read_tokens", 0), 4);
  EXPECT_GT(first.value("cost_usd", 0.0), 0);
  const Json total = team.listed("builder").at("usage");
  EXPECT_EQ(total.value("input_tokens", 0), 61);
  EXPECT_EQ(total.value("turns", 0), 2);
}

TEST(Turn, AMessageOfTheModelArrivesAtAPeer) {
  RealTeam team({"builder", "tester"},
                {conversation_of("builder", {call("send_message", {{"to", "tester"}, {"body", "it is built"}}),
                                             say("told the tester")})});
  team.start("builder");
  EXPECT_EQ(team.say_to("builder", "build it").value("text", ""), "told the tester");
  const auto inbox = team.home().inbox(kTeam, "tester");
  ASSERT_EQ(inbox.size(), 1U);
  EXPECT_EQ(inbox[0].value("from", ""), "builder");
  EXPECT_EQ(inbox[0].value("body", ""), "it is built");
  EXPECT_TRUE(team.server().surprises().empty());
}

TEST(Turn, NothingIsLeftAfterAStop) {
  RealTeam team({"builder"}, {conversation_of("builder", {say("yes")})});
  team.start("builder");
  team.say_to("builder", "are you there?");
  EXPECT_FALSE(team.processes("claude").empty());
  team.stop("builder");
  EXPECT_TRUE(team.nothing_is_left()) << team.leftovers();
}

}  // namespace
}  // namespace teamster::real
