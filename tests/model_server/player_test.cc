#include "model_server/player.h"

#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace teamster::model {
namespace {

Script script_of(const Json& json) {
  auto script = parse_script(json.dump());
  EXPECT_TRUE(script) << script.error().text();
  return script ? *std::move(script) : Script();
}

// A list of one Json in braces would be that Json and no list, were this a Json itself.
using ReplyList = std::vector<Json>;

// One conversation with these replies, which every request of model m belongs to.
Script conversation_with(const ReplyList& turns) {
  return script_of({{"conversations", Json::array({{{"match", {{"model", "m"}}}, {"turns", turns}}})}});
}

Asked asked_of(const std::string& text, const std::string& key = "k") {
  return {.api_key = key, .model = "m", .text = text};
}

std::string text_of(const Choice& choice) { return choice.reply.blocks.empty() ? "" : choice.reply.blocks[0].text; }

Json words(const std::string& text) { return {{"text", text}}; }

TEST(Player, GivesRepliesInTheirOrder) {
  Player player(conversation_with({words("one"), words("two")}));
  const Choice first = player.next(asked_of("x"));
  EXPECT_EQ(text_of(first), "one");
  EXPECT_EQ(first.turn, 0U);
  const Choice second = player.next(asked_of("x"));
  EXPECT_EQ(text_of(second), "two");
  EXPECT_EQ(second.turn, 1U);
  EXPECT_EQ(second.conversation, "conversations[0]");
  EXPECT_EQ(second.unexpected, "");
}

TEST(Player, KeepsConversationsApart) {
  const auto conversation = [](const std::string& key) {
    return Json{{"match", {{"api_key", key}}}, {"turns", ReplyList{words(key + "1"), words(key + "2")}}};
  };
  Player player(script_of({{"conversations", ReplyList{conversation("a"), conversation("b")}}}));
  EXPECT_EQ(text_of(player.next(asked_of("x", "a"))), "a1");
  EXPECT_EQ(text_of(player.next(asked_of("x", "b"))), "b1");
  EXPECT_EQ(text_of(player.next(asked_of("x", "b"))), "b2");
  EXPECT_EQ(text_of(player.next(asked_of("x", "a"))), "a2");
}

TEST(Player, RepeatsAsOftenAsItSays) {
  Player player(conversation_with({{{"text", "again"}, {"repeat", 2}}, {{"text", "on"}, {"repeat", "forever"}}}));
  std::vector<std::string> texts;
  for (int i = 0; i < 5; ++i) texts.push_back(text_of(player.next(asked_of("x"))));
  EXPECT_EQ(texts, (std::vector<std::string>{"again", "again", "on", "on", "on"}));
}

TEST(Player, SaysWhenNothingIsLeft) {
  Player player(conversation_with({words("one")}));
  player.next(asked_of("x"));
  const Choice choice = player.next(asked_of("x"));
  EXPECT_EQ(choice.unexpected, "conversations[0] has no reply left after 1");
  EXPECT_EQ(text_of(choice), "UNEXPECTED: conversations[0] has no reply left after 1");
}

TEST(Player, TheDefaultIsForWhatFitsNothingAndItsLastStays) {
  Player player(
      script_of({{"conversations", Json::array({{{"match", {{"api_key", "a"}}}, {"turns", ReplyList{words("mine")}}}})},
                 {"default", ReplyList{words("first"), words("rest")}}}));
  EXPECT_EQ(text_of(player.next(asked_of("x", "b"))), "first");
  EXPECT_EQ(text_of(player.next(asked_of("x", "b"))), "rest");
  EXPECT_EQ(text_of(player.next(asked_of("x", "b"))), "rest");
  const Choice mine = player.next(asked_of("x", "a"));
  EXPECT_EQ(text_of(mine), "mine");  // nothing was taken from it
}

TEST(Player, WithoutADefaultAStrangerIsUnexpected) {
  Player player(script_of(Json::object()));
  EXPECT_EQ(player.next(asked_of("x")).unexpected, "the request belongs to no conversation of the script");
}

TEST(Player, KeepsAReplyForTheRequestItExpects) {
  Player player(conversation_with({{{"text", "yes"}, {"expect", {{"contains", {"blue", "green"}}}}}}));
  const Choice early = player.next(asked_of("only blue"));
  EXPECT_EQ(early.unexpected, "conversations[0], turn 0: the request does not contain 'green'");
  const Choice choice = player.next(asked_of("blue and green"));
  EXPECT_EQ(choice.unexpected, "");
  EXPECT_EQ(text_of(choice), "yes");
}

TEST(Player, CallsToolsByTheNameTheAgentKnows) {
  const Json call = {{"tool_use", {{"name", "send_message"}, {"input", {{"to", "bob"}}}}}};
  Player player(conversation_with({call, call}));
  Asked asked = asked_of("x");
  asked.tools = {"Bash", "mcp__team__send_message"};
  EXPECT_EQ(text_of(player.next(asked)), "mcp__team__send_message");
  asked.tools = {"Bash"};
  EXPECT_NE(player.next(asked).unexpected.find("no tool 'send_message' among: Bash"), std::string::npos);
}

TEST(Player, AToolThatIsNotClearIsNotCalled) {
  EXPECT_EQ(resolve_tool("read", {"read", "team_read"}).value_or(""), "read");
  EXPECT_EQ(resolve_tool("report", {"ReportFindings", "team_report"}).value_or(""), "team_report");
  EXPECT_FALSE(resolve_tool("report", {"subreport"}));
  EXPECT_FALSE(resolve_tool("read", {}));
  const auto unclear = resolve_tool("read", {"a_read", "b_read"});
  ASSERT_FALSE(unclear);
  EXPECT_EQ(unclear.error().what, "'read' may be any of: a_read b_read");
}

TEST(Player, TakesPartsOfTheRequest) {
  const Json reply = {
      {"text", "token {{token}} and {{token}}"},
      {"tool_use",
       {{"name", "t"}, {"input", {{"token", "{{token}}"}, {"id", "{{number:id}}"}, {"list", {"<{{id}}>", 1}}}}}},
      {"take",
       {{"token", {{"after", "\"token\":\""}, {"until", "\""}}}, {"id", {{"after", "\"id\":"}, {"until", ","}}}}}};
  Player player(conversation_with({reply, reply}));
  Asked asked = asked_of(R"({"id":3,"token":"old"} then {"id":7,"token":"t-1"})");
  asked.tools = {"t"};
  const Choice choice = player.next(asked);
  EXPECT_EQ(text_of(choice), "token t-1 and t-1");
  EXPECT_EQ(choice.reply.blocks.at(1).input, Json({{"token", "t-1"}, {"id", 7}, {"list", {"<7>", 1}}}));
  asked.text = "nothing here";
  EXPECT_NE(player.next(asked).unexpected.find("nothing between"), std::string::npos);
}

TEST(Player, GivesEachReplyOnceToManyThreads) {
  ReplyList turns;
  for (int i = 0; i < 200; ++i) turns.push_back(words(std::to_string(i)));
  Player player(conversation_with(turns));
  std::vector<std::vector<std::string>> texts(4);
  std::vector<std::thread> threads;
  for (auto& own : texts)
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) own.push_back(text_of(player.next(asked_of("x"))));
    });
  for (auto& thread : threads) thread.join();
  std::set<std::string> all;
  for (const auto& own : texts) all.insert(own.begin(), own.end());
  EXPECT_EQ(all.size(), 200U);
}

}  // namespace
}  // namespace teamster::model
