#include "model_server/script.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace teamster::model {
namespace {

// A script with one conversation that has this one reply.
std::string with_reply(const std::string& reply) {
  return R"({"conversations":[{"match":{"model":"m"},"turns":[)" + reply + "]}]}";
}

Reply reply_of(const std::string& reply) {
  const auto script = parse_script(with_reply(reply));
  EXPECT_TRUE(script) << script.error().text();
  return script ? script->conversations.at(0).turns.at(0) : Reply();
}

TEST(Script, ReadsConversations) {
  const auto script = parse_script(R"({
    "conversations": [
      {"name": "anna", "match": {"api_key": "a", "contains": "x", "system_contains": "y", "has_tools": true},
       "turns": [{"text": "one"}, {"text": "two"}]},
      {"match": {"model": "m"}, "turns": []}],
    "default": [{"text": "hm"}]})");
  ASSERT_TRUE(script) << script.error().text();
  ASSERT_EQ(script->conversations.size(), 2U);
  EXPECT_EQ(script->conversations[0].name, "anna");
  EXPECT_EQ(script->conversations[0].turns.size(), 2U);
  EXPECT_EQ(script->conversations[0].match.api_key, "a");
  EXPECT_EQ(script->conversations[0].match.has_tools, true);
  EXPECT_EQ(script->conversations[1].name, "conversations[1]");
  EXPECT_EQ(script->fallback.size(), 1U);
}

TEST(Script, MayBeEmpty) { EXPECT_TRUE(parse_script("{}")); }

TEST(Script, ReadsWhatAReplySays) {
  const Reply reply = reply_of(R"({"thinking": "hm", "text": "yes", "stop_reason": "max_tokens",
    "tool_use": [{"name": "a", "input": {"x": 1}}, {"name": "b"}], "usage": {"input_tokens": 7}})");
  ASSERT_EQ(reply.blocks.size(), 4U);
  EXPECT_EQ(reply.blocks[0].kind, Block::Kind::thinking);
  EXPECT_EQ(reply.blocks[1].text, "yes");
  EXPECT_EQ(reply.blocks[2].input, Json({{"x", 1}}));
  EXPECT_EQ(reply.blocks[3].text, "b");
  EXPECT_EQ(reply.blocks[3].input, Json::object());
  EXPECT_EQ(reply.stop_reason, "max_tokens");
  EXPECT_EQ(reply.usage.input_tokens, 7);
  EXPECT_EQ(reply.usage.output_tokens, 20);
  EXPECT_EQ(reply.repeat, 1);
}

TEST(Script, ReadsHowAReplyIsGiven) {
  const Reply slow = reply_of(R"({"text": "x", "slow": {"chunk_ms": 5}, "stall": "middle", "hold": "go", "repeat": 3,
    "expect": {"contains": ["p", "q"]}, "take": {"id": {"after": "<", "until": ">"}}})");
  EXPECT_EQ(slow.chunk_delay.count(), 5);
  EXPECT_EQ(slow.stall, Reply::Stall::middle);
  EXPECT_EQ(slow.hold, "go");
  EXPECT_EQ(slow.repeat, 3);
  EXPECT_EQ(slow.expect, (std::vector<std::string>{"p", "q"}));
  EXPECT_EQ(slow.take.at("id").until, ">");
  EXPECT_EQ(reply_of(R"({"text": "x", "repeat": "forever"})").repeat, std::nullopt);
  EXPECT_EQ(reply_of(R"({"text": "x", "expect": {"contains": "p"}})").expect, (std::vector<std::string>{"p"}));
  const Reply error = reply_of(R"({"error": {"status": 429, "retry_after": 3}})");
  ASSERT_TRUE(error.error);
  EXPECT_EQ(error.error->status, 429);
  EXPECT_EQ(error.error->retry_after_seconds, 3);
  EXPECT_EQ(reply_of(R"({"stall": "before"})").stall, Reply::Stall::before);
}

// A misspelt word would silently change what a test tests.
TEST(Script, RefusesWhatItDoesNotKnowAndNamesThePlace) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "not valid JSON"},
      {"[]", "script is not an object"},
      {R"({"conversation": []})", "unknown field 'conversation'"},
      {R"({"conversations": {}})", "script.conversations is not a list"},
      {R"({"conversations": [1]})", "conversations[0] is not an object"},
      {R"({"conversations": [{"turns": []}]})", "conversations[0].match is not there"},
      {R"({"conversations": [{"match": {"model": "m"}}]})", "conversations[0].turns is not there"},
      {R"({"conversations": [{"match": {}, "turns": []}]})", "it would fit every request"},
      {R"({"conversations": [{"match": {"apikey": "a"}, "turns": []}]})", "unknown field 'apikey'"},
      {R"({"conversations": [{"match": {"model": 1}, "turns": []}]})", "match.model is not a string"},
      {R"({"conversations": [{"match": {"has_tools": 1}, "turns": []}]})", "has_tools is not true or false"},
      {R"({"default": {"text": "x"}})", "default is not a list"},
      {with_reply("{}"), "turns[0] says nothing"},
      {with_reply(R"({"usage": {}})"), "says nothing"},
      {with_reply(R"({"stall": "middle"})"), "says nothing"},
      {with_reply(R"({"txt": "x"})"), "conversations[0].turns[0] has an unknown field 'txt'"},
      {with_reply(R"({"text": 1})"), "turns[0].text is not a string"},
      {with_reply(R"({"text": "x", "error": {"status": 500}})"), "both says something and is an error"},
      {with_reply(R"({"error": {"status": 200}})"), "error.status is not"},
      {with_reply(R"({"error": {}})"), "error.status is not"},
      {with_reply(R"({"error": {"status": 429, "retry_after": -1}})"), "retry_after is not a whole number"},
      {with_reply(R"({"tool_use": {"input": {}}})"), "tool_use.name is not there"},
      {with_reply(R"({"tool_use": {"name": "a", "input": []}})"), "tool_use.input is not an object"},
      {with_reply(R"({"text": "x", "usage": {"tokens": 1}})"), "unknown field 'tokens'"},
      {with_reply(R"({"text": "x", "usage": {"input_tokens": -1}})"), "input_tokens is not a whole number"},
      {with_reply(R"({"text": "x", "stall": "end"})"), "stall is not"},
      {with_reply(R"({"text": "x", "slow": {}})"), "chunk_ms is not there"},
      {with_reply(R"({"text": "x", "repeat": 0})"), "repeat is not a whole number from 1"},
      {with_reply(R"({"text": "x", "repeat": "always"})"), "repeat is not a whole number from 1"},
      {with_reply(R"({"text": "x", "expect": {"contains": [1]}})"), "expect.contains is not a string"},
      {with_reply(R"({"text": "x", "expect": {}})"), "expect.contains is not there"},
      {with_reply(R"({"text": "x", "take": {"id": {"after": "<"}}})"), "take.id.until is not there"},
      {with_reply(R"({"text": "x", "take": {"id": {"after": "", "until": ">"}}})"), "take is not made of texts"},
  };
  for (const auto& [text, reason] : cases) {
    const auto script = parse_script(text);
    ASSERT_FALSE(script) << text;
    EXPECT_NE(script.error().what.find(reason), std::string::npos) << text << "\n" << script.error().what;
  }
}

TEST(Match, NeedsAllThatIsGiven) {
  const Asked asked = {.api_key = "k", .model = "m", .system = "be kind", .text = "hello world", .tools = {"t"}};
  EXPECT_TRUE((Match{.api_key = "k"}.fits(asked)));
  EXPECT_FALSE((Match{.api_key = "K"}.fits(asked)));
  EXPECT_FALSE((Match{.api_key = ""}.fits(asked)));
  EXPECT_TRUE((Match{.model = "m", .system_contains = "kind", .contains = "lo wo", .has_tools = true}.fits(asked)));
  EXPECT_FALSE((Match{.model = "m", .system_contains = "hello"}.fits(asked)));
  EXPECT_FALSE((Match{.model = "m", .contains = "kind"}.fits(asked)));
  EXPECT_FALSE((Match{.model = "m", .has_tools = false}.fits(asked)));
}

}  // namespace
}  // namespace teamster::model
