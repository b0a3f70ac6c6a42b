#include "script/mcp_dialogue.h"

#include <gtest/gtest.h>

namespace teamster::script {
namespace {

std::vector<Json> messages(const std::string& text) {
  std::vector<Json> all;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    all.push_back(Json::parse(text.substr(at, end - at)));
    at = end + 1;
  }
  return all;
}

class McpDialogueTest : public testing::Test {
 protected:
  std::vector<McpDialogue::Reply> take(const Json& message) {
    auto replies = dialogue_.take(dump_json(message), sent_);
    EXPECT_TRUE(replies) << (replies ? "" : replies.error().text());
    return replies ? *std::move(replies) : std::vector<McpDialogue::Reply>();
  }
  void become_modern() {
    probe_ = Json::parse(dialogue_.open());
    take({{"jsonrpc", "2.0"},
          {"id", probe_["id"]},
          {"result", {{"resultType", "complete"}, {"supportedVersions", {"2025-11-25", "2026-07-28"}}}}});
  }
  void become_legacy() {
    probe_ = Json::parse(dialogue_.open());
    take({{"jsonrpc", "2.0"}, {"id", probe_["id"]}, {"error", {{"code", -32601}, {"message", "no such method"}}}});
    const Json greeting = messages(sent_).back();
    take({{"jsonrpc", "2.0"}, {"id", greeting["id"]}, {"result", {{"protocolVersion", "2025-11-25"}}}});
  }
  Outcome outcome_of(const Json& answer) {
    become_modern();
    dialogue_.call(7, "t", Json::object());
    Json message = {{"jsonrpc", "2.0"}, {"id", 7}};
    message.update(answer);
    const auto replies = take(message);
    EXPECT_EQ(replies.size(), 1U);
    return replies.empty() ? Outcome() : replies[0].outcome;
  }

  McpDialogue dialogue_;
  Json probe_;
  std::string sent_;
};

TEST_F(McpDialogueTest, AsksForTheNewestRevisionFirst) {
  become_modern();
  EXPECT_EQ(probe_["method"], "server/discover");
  EXPECT_EQ(probe_["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
  EXPECT_TRUE(dialogue_.is_ready());
  EXPECT_EQ(sent_, "") << "no handshake";
  const Json call = Json::parse(dialogue_.call(1, "send_message", {{"to", "x"}}));
  EXPECT_EQ(call["method"], "tools/call");
  EXPECT_EQ(call["id"], 1);
  EXPECT_EQ(call["params"]["name"], "send_message");
  EXPECT_EQ(call["params"]["arguments"]["to"], "x");
  EXPECT_EQ(call["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
}

TEST_F(McpDialogueTest, FallsBackToTheHandshake) {
  become_legacy();
  const auto sent = messages(sent_);
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_EQ(sent[0]["method"], "initialize");
  EXPECT_EQ(sent[0]["params"]["protocolVersion"], "2025-11-25");
  EXPECT_FALSE(sent[0]["params"].contains("_meta"));
  EXPECT_EQ(sent[1]["method"], "notifications/initialized");
  EXPECT_TRUE(dialogue_.is_ready());
  EXPECT_FALSE(Json::parse(dialogue_.call(1, "t", Json::object()))["params"].contains("_meta"));
}

TEST_F(McpDialogueTest, CallsWaitUntilItIsReady) {
  EXPECT_EQ(dialogue_.call(1, "a", Json::object()), "");
  EXPECT_EQ(dialogue_.call(2, "b", Json::object()), "");
  EXPECT_EQ(dialogue_.cancel(2), "") << "it was never sent";
  become_legacy();
  const auto sent = messages(sent_);
  ASSERT_EQ(sent.size(), 3U);
  EXPECT_EQ(sent[2]["params"]["name"], "a");
}

TEST_F(McpDialogueTest, GivesTheResult) {
  const auto outcome = outcome_of(
      {{"result",
        {{"content", {{{"type", "text"}, {"text", "a"}}, {{"type", "image"}}, {{"type", "text"}, {"text", "b"}}}},
         {"structuredContent", {{"n", 1}}}}}});
  EXPECT_FALSE(outcome.is_error);
  EXPECT_EQ(outcome.text, "a\nb");
  EXPECT_EQ(outcome.structured, (Json{{"n", 1}}));
}

TEST_F(McpDialogueTest, ReadsJsonFromTextWhenThereIsNothingBetter) {
  EXPECT_EQ(outcome_of(Json::parse(R"({"result":{"content":[{"type":"text","text":"{\"n\":1}"}]}})")).structured,
            (Json{{"n", 1}}));
}

TEST_F(McpDialogueTest, FailuresAreOutcomes) {
  EXPECT_TRUE(outcome_of(Json::parse(R"({"result":{"isError":true,"content":[]}})")).is_error);
}
TEST_F(McpDialogueTest, ProtocolErrorsAreOutcomes) {
  EXPECT_EQ(outcome_of(Json::parse(R"({"error":{"code":-32602,"message":"unknown tool"}})")).text,
            "MCP error -32602: unknown tool");
}
TEST_F(McpDialogueTest, ARequestForInputIsAFailure) {
  EXPECT_TRUE(outcome_of(Json::parse(R"({"result":{"resultType":"input_required"}})")).is_error);
}
TEST_F(McpDialogueTest, AnswersOfTheWrongShapeAreFailures) {
  EXPECT_TRUE(outcome_of(Json::parse(R"({"result":5})")).is_error);
}

TEST_F(McpDialogueTest, OfACancelledCallNothingIsHeard) {
  become_modern();
  dialogue_.call(7, "t", Json::object());
  const Json sent = Json::parse(dialogue_.cancel(7));
  EXPECT_EQ(sent["method"], "notifications/cancelled");
  EXPECT_EQ(sent["params"]["requestId"], 7);
  EXPECT_TRUE(take(Json::parse(R"({"jsonrpc":"2.0","id":7,"result":{}})")).empty());
}

TEST_F(McpDialogueTest, AnswersTheServersRequests) {
  become_modern();
  take(Json::parse(R"({"jsonrpc":"2.0","id":"p","method":"ping"})"));
  take(Json::parse(R"({"jsonrpc":"2.0","id":0,"method":"roots/list"})"));
  take(Json::parse(R"({"jsonrpc":"2.0","method":"notifications/message","params":{}})"));
  const auto sent = messages(sent_);
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_EQ(sent[0]["result"], Json::object());
  EXPECT_EQ(sent[1]["id"], 0);
  EXPECT_EQ(sent[1]["error"]["code"], -32601);
}

TEST_F(McpDialogueTest, StrangersAreIgnoredAndGarbageIsAnError) {
  become_modern();
  EXPECT_TRUE(take(Json::parse(R"({"jsonrpc":"2.0","id":99,"result":{}})")).empty());
  EXPECT_TRUE(take(Json::parse(R"({"jsonrpc":"2.0","id":"x","result":{}})")).empty());
  EXPECT_TRUE(dialogue_.take("", sent_));
  EXPECT_FALSE(dialogue_.take("hello", sent_));
  EXPECT_FALSE(dialogue_.take("[1]", sent_));
}

TEST_F(McpDialogueTest, AServerThatRefusesToBeginIsAnError) {
  dialogue_.open();
  take(Json::parse(R"({"jsonrpc":"2.0","id":"probe","error":{"code":-32601}})"));
  EXPECT_FALSE(dialogue_.take(R"({"jsonrpc":"2.0","id":"initialize","error":{"code":1,"message":"no"}})", sent_));
}

}  // namespace
}  // namespace teamster::script
