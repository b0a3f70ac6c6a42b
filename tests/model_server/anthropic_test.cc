#include "model_server/anthropic.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace teamster::model {
namespace {

HttpRequest post(const std::string& body) {
  HttpRequest request;
  request.method = "POST";
  request.path = "/v1/messages";
  request.headers["x-api-key"] = "k";
  request.body = body;
  return request;
}

// Puts a stream together again, as a client does.
Json assembled(const std::vector<Json>& events) {
  Json message;
  std::string input;
  for (const auto& event : events) {
    const std::string type = event.at("type");
    if (type == "message_start") message = event.at("message");
    if (type == "content_block_start") message["content"].push_back(event.at("content_block"));
    if (type == "content_block_delta") {
      Json& block = message["content"].at(event.at("index").get<std::size_t>());
      const Json& delta = event.at("delta");
      for (const auto* field : {"text", "thinking", "signature"})
        if (delta.contains(field)) block[field] = block[field].get<std::string>() + delta[field].get<std::string>();
      input += delta.value("partial_json", "");
    }
    if (type == "content_block_stop" && !input.empty()) {
      message["content"].at(event.at("index").get<std::size_t>())["input"] = Json::parse(input);
      input.clear();
    }
    if (type == "message_delta") {
      message.update(event.at("delta"));
      message["usage"] = event.at("usage");
    }
  }
  return message;
}

Reply rich_reply() {
  Reply reply;
  reply.blocks = {{Block::Kind::thinking, "Let me think about this for a while.", {}},
                  {Block::Kind::text, "Grüße, 世界! A text that is longer than one piece, with 🎉 in it.", {}},
                  {Block::Kind::tool_use, "first", {{"path", "a/b/c"}, {"numbers", {1, 2, 3}}}},
                  {Block::Kind::tool_use, "second", Json::object()}};
  reply.usage = {.input_tokens = 5, .output_tokens = 6, .cache_read_input_tokens = 7, .cache_creation_input_tokens = 8};
  return reply;
}

TEST(Anthropic, AStreamIsTheDocumentInPieces) {
  const Asked asked = {.model = "m"};
  const auto events = anthropic_events(asked, rich_reply(), 3);
  EXPECT_EQ(assembled(events), anthropic_message(asked, rich_reply(), 3));
  EXPECT_GT(events.size(), 12U);
  EXPECT_EQ(events.front()["type"], "message_start");
  EXPECT_EQ(events.front()["message"]["usage"]["input_tokens"], 5);
  EXPECT_EQ(events.back()["type"], "message_stop");
}

TEST(Anthropic, NoPieceEndsInsideACharacter) {
  Reply reply;
  reply.blocks = {{Block::Kind::text, "", {}}};
  for (int i = 0; i < 100; ++i) reply.blocks[0].text += "世界🎉é";
  for (const auto& event : anthropic_events({}, reply, 1))
    EXPECT_NO_THROW((void)event.dump());  // it throws on text that is not UTF-8
}

TEST(Anthropic, AHugeTextIsNotAHugeNumberOfEvents) {
  Reply reply;
  reply.blocks = {{Block::Kind::text, std::string(1024UL * 1024, 'a'), {}}};
  EXPECT_LT(anthropic_events({}, reply, 1).size(), 300U);
}

TEST(Anthropic, TheDocumentHasWhatTheApiPromises) {
  const Json message = anthropic_message({.model = "m"}, rich_reply(), 3);
  EXPECT_EQ(message["type"], "message");
  EXPECT_EQ(message["role"], "assistant");
  EXPECT_EQ(message["model"], "m");
  EXPECT_EQ(message["stop_reason"], "tool_use");
  EXPECT_EQ(message["usage"], Json({{"input_tokens", 5},
                                    {"output_tokens", 6},
                                    {"cache_read_input_tokens", 7},
                                    {"cache_creation_input_tokens", 8}}));
  EXPECT_NE(message["content"][2]["id"], message["content"][3]["id"]);
  EXPECT_NE(anthropic_message({}, rich_reply(), 4)["content"][2]["id"], message["content"][2]["id"]);
}

TEST(Anthropic, TheStopReasonFollowsFromTheBlocks) {
  Reply reply;
  reply.blocks = {{Block::Kind::text, "x", {}}};
  EXPECT_EQ(anthropic_message({}, reply, 1)["stop_reason"], "end_turn");
  reply.stop_reason = "max_tokens";
  EXPECT_EQ(anthropic_message({}, reply, 1)["stop_reason"], "max_tokens");
}

TEST(Anthropic, ReadsWhatTheModelIsShown) {
  const auto asked = AnthropicFormat().read(post(R"({
    "model": "m", "stream": true, "max_tokens": 5,
    "system": [{"type": "text", "text": "be kind"}],
    "tools": [{"name": "t", "input_schema": {}}],
    "messages": [
      {"role": "user", "content": "first \"quoted\""},
      {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "answer"},
                                        {"type": "tool_use", "id": "1", "name": "t", "input": {"key": "value"}}]},
      {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1",
                                    "content": [{"type": "text", "text": "{\"token\":\"abc\"}"}]}]},
      {"role": "system", "content": "by the way"}]})"));
  ASSERT_TRUE(asked) << asked.error().text();
  EXPECT_EQ(asked->api_key, "k");
  EXPECT_EQ(asked->model, "m");
  EXPECT_EQ(asked->system, "be kind\n");
  EXPECT_EQ(asked->text,
            "first \"quoted\"\nhm\n"
            "answer\n{\"key\":\"value\"}\n{\"token\":\"abc\"}\nby the way\n");
  EXPECT_EQ(asked->last, "{\"token\":\"abc\"}\nby the way\n");
  EXPECT_EQ(asked->messages, 4U);
  EXPECT_EQ(asked->tools, (std::vector<std::string>{"t"}));
  EXPECT_TRUE(asked->wants_stream);
}

TEST(Anthropic, ReadsTheKeyOfALogin) {
  HttpRequest request = post(R"({"model":"m","messages":[{"role":"user","content":"x"}]})");
  request.headers = {{"authorization", "Bearer token"}};
  EXPECT_EQ(AnthropicFormat().read(request).value_or(Asked()).api_key, "token");
}

TEST(Anthropic, RefusesWhatIsNotARequest) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "not valid JSON"},
      {"{", "not valid JSON"},
      {"[]", "not a JSON object"},
      {R"({"messages":[{"role":"user","content":"x"}]})", "'model' is missing"},
      {R"({"model":"m"})", "messages"},
      {R"({"model":"m","messages":[]})", "messages"},
      {R"({"model":"m","messages":{}})", "messages"},
      {R"({"model":"m","messages":[1]})", "'role' is missing"},
      {R"({"model":"m","messages":[{"role":"king","content":"x"}]})", "unknown role 'king'"},
      {R"({"model":"m","stream":"yes","messages":[{"role":"user","content":"x"}]})", "'stream'"},
      {R"({"model":"m","tools":{},"messages":[{"role":"user","content":"x"}]})", "tools"},
      {R"({"model":"m","tools":[{}],"messages":[{"role":"user","content":"x"}]})", "'name' is missing"},
      {R"({"model":"m","messages":)" + std::string(1000, '['), "nested deeper"},
  };
  for (const auto& [body, reason] : cases) {
    const auto asked = AnthropicFormat().read(post(body));
    ASSERT_FALSE(asked) << body;
    EXPECT_NE(asked.error().what.find(reason), std::string::npos) << body << "\n" << asked.error().what;
  }
}

TEST(Anthropic, StrangeContentIsNoText) {
  const auto asked = AnthropicFormat().read(
      post(R"({"model":"m","system":7,"messages":[{"role":"user"},{"role":"user","content":[null,3,{"text":4}]}]})"));
  ASSERT_TRUE(asked) << asked.error().text();
  EXPECT_EQ(asked->text, "");
  EXPECT_EQ(asked->messages, 2U);
}

}  // namespace
}  // namespace teamster::model
