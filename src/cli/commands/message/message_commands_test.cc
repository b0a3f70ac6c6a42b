#include <gtest/gtest.h>

#include "base/limits.h"
#include "cli/framework/outside_for_test.h"

namespace teamster::cli {
namespace {

class MessageCommandsTest : public testing::Test {
 protected:
  static Json message(std::int64_t id, const std::string& body) {
    return {{"id", id},         {"team", "demo"},       {"from", "lead"},         {"to", "tester"},
            {"kind", "signal"}, {"priority", "normal"}, {"receipt", "delivered"}, {"sent", "2027-01-15T07:59:55.000Z"},
            {"body", body},     {"deliveries", 1}};
  }
  int send(std::vector<std::string> words) {
    words.insert(words.begin(), {"message", "send", "--team", "demo", "--to", "lead"});
    outside_.answers({{"id", 7}, {"receipt", "queued"}});
    return outside_.run(words);
  }

  FakeOutside outside_;
};

TEST_F(MessageCommandsTest, SendAsOperator) {
  EXPECT_EQ(send({"hello", "--priority", "interrupt", "--summary=s", "--kind", "question"}), 0);
  EXPECT_EQ(outside_.requests[0].op, "message.send");
  EXPECT_EQ(
      outside_.requests[0].args,
      Json::parse(
          R"({"team":"demo","to":"lead","from":"operator","body":"hello","priority":"interrupt","summary":"s","kind":"question"})"));
  EXPECT_EQ(outside_.out.captured, "#7 queued\n");
  EXPECT_FALSE(outside_.token_file.has_value());
}

TEST_F(MessageCommandsTest, SendAsMemberLeavesFromToTheToken) {
  outside_.variables["TEAMSTER_TOKEN_FILE"] = "/env/token";
  outside_.answers({{"id", 7}, {"receipt", "queued"}});
  EXPECT_EQ(outside_.run({"message", "send", "--to", "lead", "hi"}), 0);
  EXPECT_EQ(outside_.requests[0].args, Json::parse(R"({"to":"lead","body":"hi"})"));
  EXPECT_EQ(outside_.token_file, "/env/token");
  EXPECT_EQ(send({"hi", "--token-file", "/flag/token", "--from", "tester"}), 0);
  EXPECT_EQ(outside_.requests[0].args["from"], "tester");
  EXPECT_EQ(outside_.token_file, "/flag/token");
}

TEST_F(MessageCommandsTest, BodyFromStandardInput) {
  outside_.input = "a\nb\n";
  EXPECT_EQ(send({"-"}), 0);
  EXPECT_EQ(outside_.requests[0].args["body"], "a\nb\n");
  outside_.input = "";
  EXPECT_EQ(send({"-"}), 0);
  EXPECT_EQ(outside_.requests[0].args["body"], "");
  outside_.input = std::string(limits::kBodyMaxBytes, 'x');
  EXPECT_EQ(send({"-"}), 0);
}

TEST_F(MessageCommandsTest, BodyThatIsTooLargeOrNoUtf8IsRefusedBeforeItIsSent) {
  outside_.input = std::string(limits::kBodyMaxBytes + 1, 'x');
  EXPECT_EQ(send({"-"}), 2);
  EXPECT_NE(outside_.err.captured.find("1048577 bytes is over the limit of 1048576"), std::string::npos);
  outside_.input = "abc\xfe";
  EXPECT_EQ(send({"-", "--json"}), 2);
  EXPECT_NE(outside_.err.captured.find("at byte 3 (0xfe)"), std::string::npos);
  EXPECT_EQ(outside_.document()["error"]["code"], "invalid");
  EXPECT_TRUE(outside_.requests.empty());
}

TEST_F(MessageCommandsTest, Broadcast) {
  outside_.answers({{"ids", {1, 2}}, {"to", {"a", "b"}}});
  EXPECT_EQ(outside_.run({"message", "broadcast", "--team", "demo", "--from", "lead", "all"}), 0);
  EXPECT_EQ(outside_.requests[0].args, Json::parse(R"({"team":"demo","from":"lead","body":"all"})"));
  EXPECT_EQ(outside_.out.captured, "sent to a, b\n");
}

TEST_F(MessageCommandsTest, InboxShowsHostileTextHarmlessly) {
  Json hostile = message(5, "line\n\x1b[2Jowned\xc2\x9b");
  hostile["summary"] = "\x1b]0;title\x07";
  hostile["from"] = "lead\x1b[A";
  outside_.output_is_terminal = true;
  outside_.variables["NO_COLOR"] = "1";
  outside_.answers({{"messages", {hostile}}, {"next", nullptr}});
  EXPECT_EQ(outside_.run({"message", "inbox", "--team", "demo", "--member", "tester"}), 0);
  EXPECT_EQ(outside_.out.captured,
            "#5 lead\\x1b[A -> tester  signal  delivered  5 s\n"
            "  \\x1b]0;title\\x07\n"
            "    line\n    \\x1b[2Jowned\\u009b\n\n");
}

TEST_F(MessageCommandsTest, InboxColoursOnlyOnATerminal) {
  outside_.output_is_terminal = true;
  outside_.answers({{"messages", {message(5, "x")}}, {"next", nullptr}});
  outside_.run({"message", "inbox", "--team", "demo", "--member", "tester"});
  EXPECT_TRUE(outside_.out.captured.starts_with("\x1b[1m#5"));
}

TEST_F(MessageCommandsTest, InboxReadsAllPagesIntoOneDocument) {
  outside_.answers({{"messages", {message(1, "a"), message(2, "\x1b")}}, {"next", 2}})
      .answers({{"messages", {message(3, "c")}}, {"next", nullptr}});
  EXPECT_EQ(outside_.run({"message", "inbox", "--team", "demo", "--member", "tester", "--all", "--mark", "seen",
                          "--json", "--key", "k"}),
            0);
  ASSERT_EQ(outside_.requests.size(), 2U);
  EXPECT_EQ(outside_.requests[0].args, Json::parse(R"({"team":"demo","member":"tester","all":true,"mark":"seen"})"));
  EXPECT_EQ(outside_.requests[0].key, "k");
  EXPECT_EQ(outside_.requests[1].args["after"], 2);
  EXPECT_EQ(outside_.requests[1].key, "k.page2");
  const Json document = outside_.document();
  ASSERT_EQ(document["messages"].size(), 3U);
  EXPECT_EQ(document["messages"][1]["body"], "\x1b");
  EXPECT_TRUE(document["next"].is_null());
}

TEST_F(MessageCommandsTest, InboxLimitSpansPages) {
  outside_.answers({{"messages", {message(1, "a")}}, {"next", 1}})
      .answers({{"messages", {message(2, "b")}}, {"next", 2}});
  EXPECT_EQ(outside_.run({"message", "inbox", "--team", "demo", "--member", "tester", "--limit", "2", "--json"}), 0);
  ASSERT_EQ(outside_.requests.size(), 2U);
  EXPECT_EQ(outside_.requests[0].args["limit"], 2);
  EXPECT_EQ(outside_.requests[1].args["limit"], 1);
  EXPECT_EQ(outside_.document()["next"], 2);
}

TEST_F(MessageCommandsTest, InboxThatBreaksOffIsStillOneDocument) {
  outside_.answers({{"messages", {message(1, "a")}}, {"next", 1}}).fails({Code::unavailable, "the hub has gone", ""});
  EXPECT_EQ(outside_.run({"message", "inbox", "--team", "demo", "--member", "tester", "--json"}), 1);
  EXPECT_EQ(outside_.document()["messages"].size(), 1U);
  EXPECT_EQ(outside_.document()["error"]["code"], "unavailable");
}

TEST_F(MessageCommandsTest, InboxOfAMemberWithoutMessages) {
  outside_.answers({{"messages", Json::array()}, {"next", nullptr}});
  EXPECT_EQ(outside_.run({"message", "inbox", "--team", "demo", "--member", "tester", "--json"}), 0);
  EXPECT_EQ(outside_.document(), Json::parse(R"({"messages":[],"next":null})"));
}

TEST_F(MessageCommandsTest, WaitParksAndSaysWhenNothingCame) {
  outside_.answers({{"messages", Json::array()}});
  EXPECT_EQ(outside_.run({"message", "wait", "--team", "demo", "--member", "tester", "--json"}), 1);
  EXPECT_EQ(outside_.requests[0].wait, std::chrono::seconds(60));
  EXPECT_EQ(outside_.document(), Json::parse(R"({"messages":[]})"));
  outside_.answers({{"messages", {message(1, "a")}}});
  EXPECT_EQ(
      outside_.run({"message", "wait", "--team", "demo", "--member", "tester", "--timeout", "5s", "--mark", "acted"}),
      0);
  EXPECT_EQ(outside_.requests[0].wait, std::chrono::seconds(5));
  EXPECT_EQ(outside_.requests[0].args["mark"], "acted");
}

TEST_F(MessageCommandsTest, WaitHasALimit) {
  EXPECT_EQ(outside_.run({"message", "wait", "--team", "demo", "--member", "tester", "--timeout", "2d"}), 2);
  EXPECT_NE(outside_.err.captured.find("--timeout 2d is over the limit of 24 h"), std::string::npos);
}

TEST_F(MessageCommandsTest, AckAndReceipt) {
  outside_.answers({{"acknowledged", {5, 6}}});
  EXPECT_EQ(outside_.run({"message", "ack", "--team", "demo", "--member", "tester", "5", "6"}), 0);
  EXPECT_EQ(outside_.requests[0].args, Json::parse(R"({"team":"demo","member":"tester","ids":[5,6],"mark":"acted"})"));
  EXPECT_EQ(outside_.out.captured, "acted: 5, 6\n");
  outside_.answers({{"message", message(5, "")}});
  EXPECT_EQ(outside_.run({"message", "receipt", "--team", "demo", "5"}), 0);
  EXPECT_EQ(outside_.requests[0].args, Json::parse(R"({"team":"demo","id":5})"));
  EXPECT_NE(outside_.out.captured.find("delivered"), std::string::npos);
}

}  // namespace
}  // namespace teamster::cli
