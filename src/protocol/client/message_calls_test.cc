#include "protocol/client/message_calls.h"

#include "protocol/client/calls_for_test.h"
#include "protocol/client/team_calls.h"
#include "protocol/words/message_kinds.h"

namespace teamster::hub {
namespace {

using namespace std::chrono_literals;

class MessageCallsTest : public CallsTest {
 protected:
  void SetUp() override { call(CreateTeam{.team = "alpha", .members = {"builder", "tester"}}); }
  MessageId send(const std::string& body) {
    return call(SendMessage{.team = "alpha", .from = "tester", .to = "builder", .text = {.body = body}}).id;
  }
};

TEST_F(MessageCallsTest, AMessageIsReadAsItWasSent) {
  const auto sent = call(SendMessage{.team = "alpha",
                                     .to = "builder",
                                     .text = {.body = "what \"now\"?\n",
                                              .kind = message_kind::kQuestion,
                                              .summary = "short",
                                              .priority = priority::kInterrupt},
                                     .schema = Json{{"type", "object"}}});
  EXPECT_EQ(sent.receipt, Receipt::queued);
  const auto page = call(ReadInbox{.team = "alpha", .member = "builder", .peek = true});
  ASSERT_EQ(page.items.size(), 1U);
  const Message& message = page.items[0];
  EXPECT_EQ(message.id, sent.id);
  EXPECT_EQ(message.from, "operator");
  EXPECT_EQ(message.to, "builder");
  EXPECT_EQ(message.kind, "question");
  EXPECT_EQ(message.summary, "short");
  EXPECT_EQ(message.body, "what \"now\"?\n");
  EXPECT_TRUE(message.interrupts());
  EXPECT_EQ(message.receipt, Receipt::queued);
  EXPECT_EQ(message.schema, (Json{{"type", "object"}}));
  const Speech speech = speech_of(message);
  EXPECT_EQ(speech.id, sent.id.value);
  EXPECT_EQ(speech.sent, to_iso8601(*message.sent));
}

TEST_F(MessageCallsTest, ReceiptsGoForward) {
  const MessageId first = send("a");
  const MessageId second = send("b");
  const auto taken = call(ReadInbox{.team = "alpha", .member = "builder", .limit = 1});
  ASSERT_EQ(taken.items.size(), 1U);
  EXPECT_EQ(taken.items[0].receipt, Receipt::delivered);
  EXPECT_EQ(taken.next, first.value);
  EXPECT_EQ(call(AcknowledgeMessages{.team = "alpha", .member = "builder", .ids = {first}, .mark = Receipt::seen}),
            std::vector<MessageId>{first});
  EXPECT_EQ(call(GetReceipt{"alpha", first}).receipt, Receipt::seen);
  EXPECT_TRUE(call(GetReceipt{"alpha", first}).seen);
  const auto marked =
      call(ReadInbox{.team = "alpha", .member = "builder", .mark = Receipt::acted, .after = first.value});
  ASSERT_EQ(marked.items.size(), 1U);
  EXPECT_EQ(marked.items[0].id, second);
  EXPECT_EQ(call(GetReceipt{"alpha", second}).receipt, Receipt::acted);
}

TEST_F(MessageCallsTest, WaitsForOne) {
  std::optional<std::string> heard;
  ask(client_, WaitForMessages{.team = "alpha", .member = "builder", .peek = true, .epoch = Epoch(1)}, {.wait = 60s},
      [&](Result<std::vector<Message>> messages) { heard = messages ? messages->at(0).body : "failed"; });
  world_.run_for(1s);
  EXPECT_FALSE(heard);
  send("hello");
  world_.run_until([&] { return heard.has_value(); });
  EXPECT_EQ(heard, "hello");
  EXPECT_FALSE(try_call(WaitForMessages{.team = "alpha", .member = "builder", .epoch = Epoch(7)}));
}

TEST_F(MessageCallsTest, ABroadcastNamesWhoGotIt) {
  const auto sent = call(BroadcastMessage{.team = "alpha", .from = "tester", .text = {.body = "all"}});
  EXPECT_EQ(sent.to, std::vector<std::string>{"builder"});
  ASSERT_EQ(sent.ids.size(), 1U);
  EXPECT_EQ(call(GetReceipt{"alpha", sent.ids[0]}).kind, message_kind::kBroadcast);
}

TEST_F(MessageCallsTest, EveryPageOfAnInboxIsRead) {
  for (int i = 0; i < 5; ++i) send("x");
  const auto all = ask_for_all_and_wait(client_, ReadInbox{.team = "alpha", .member = "builder", .limit = 2});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->size(), 5U);
}

TEST(MessageCalls, AReceiptThatIsNoneIsNotGuessed) {
  EXPECT_FALSE(Message::read(Json{{"id", 1}, {"receipt", "read"}}));
  EXPECT_TRUE(Message::read(Json{{"id", 1}, {"receipt", "dead"}}));
}

}  // namespace
}  // namespace teamster::hub
