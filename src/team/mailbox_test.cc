#include "team/mailbox.h"

#include <gtest/gtest.h>

#include "base/limits.h"
#include "team/rules_for_test.h"

namespace teamster::team {
namespace {

class MailboxTest : public testing::Test {
 protected:
  MailboxTest() {
    EXPECT_TRUE(rules_.call("team.create", {{"team", "alpha"}, {"members", {"builder", "tester", "lead"}}}));
  }
  ~MailboxTest() override { EXPECT_TRUE(rules_.store().check(true)->empty()); }

  std::int64_t send(const std::string& from, const std::string& to, const std::string& body) {
    return rules_.call("message.send", {{"team", "alpha"}, {"from", from}, {"to", to}, {"body", body}})->at("id");
  }
  Json wait(const std::string& member) {
    return rules_.call("message.wait", {{"team", "alpha"}, {"member", member}})->at("messages");
  }
  Json inbox(const std::string& member, Json more = Json::object()) {
    more.update({{"team", "alpha"}, {"member", member}});
    return *rules_.call("message.inbox", more);
  }
  std::string receipt(std::int64_t id) {
    return rules_.call("message.receipt", {{"team", "alpha"}, {"id", id}})->at("message").at("receipt");
  }

  Rules rules_;
};

TEST_F(MailboxTest, ReceiptGoesFromQueuedToActed) {
  const auto id = send("builder", "tester", "hello");
  EXPECT_EQ(receipt(id), "queued");
  const Json got = wait("tester");
  ASSERT_EQ(got.size(), 1U);
  EXPECT_EQ(got[0]["id"], id);
  EXPECT_EQ(got[0]["from"], "builder");
  EXPECT_EQ(got[0]["body"], "hello");
  EXPECT_EQ(got[0]["receipt"], "delivered");
  EXPECT_EQ(receipt(id), "delivered");
  ASSERT_TRUE(rules_.call("message.ack", {{"team", "alpha"}, {"member", "tester"}, {"ids", {id}}, {"mark", "seen"}}));
  EXPECT_EQ(receipt(id), "seen");
  EXPECT_EQ(inbox("tester")["messages"].size(), 1U);
  ASSERT_TRUE(rules_.call("message.ack", {{"team", "alpha"}, {"member", "tester"}, {"ids", {id}}, {"mark", "acted"}}));
  EXPECT_EQ(receipt(id), "acted");
  EXPECT_EQ(inbox("tester")["messages"].size(), 0U);
  EXPECT_EQ(inbox("tester", {{"all", true}})["messages"].size(), 1U);
  // A receipt never goes back.
  ASSERT_TRUE(rules_.call("message.ack", {{"team", "alpha"}, {"member", "tester"}, {"ids", {id}}, {"mark", "seen"}}));
  EXPECT_EQ(receipt(id), "acted");
}

// One event says both: that it has it and what it did with it.
TEST_F(MailboxTest, AMarkOfAQueuedMessageIsItsDelivery) {
  for (const char* mark : {"delivered", "seen", "acted"}) {
    const auto id = send("builder", "tester", "hello");
    const auto before = rules_.store().next_seq();
    const auto got = rules_.call("message.wait", {{"team", "alpha"}, {"member", "tester"}, {"mark", mark}});
    ASSERT_TRUE(got);
    ASSERT_EQ((*got)["messages"].size(), 1U);
    const Json& message = (*got)["messages"][0];
    EXPECT_EQ(message["id"], id);
    EXPECT_EQ(message["receipt"], mark);
    EXPECT_EQ(message["deliveries"], 1);
    EXPECT_TRUE(message.contains("delivered"));
    EXPECT_EQ(rules_.store().next_seq().value, before.value + 1);
  }
}

TEST_F(MailboxTest, WaitsOnlyWhenNothingIsQueued) {
  EXPECT_TRUE(wait("tester").empty());
  EXPECT_TRUE(rules_.would_wait);
  send("builder", "tester", "a");
  send("lead", "tester", "b");
  const Json got = wait("tester");
  EXPECT_FALSE(rules_.would_wait);
  ASSERT_EQ(got.size(), 2U);
  EXPECT_EQ(got[0]["body"], "a");
  EXPECT_EQ(got[1]["body"], "b");
  EXPECT_TRUE(wait("tester").empty());
}

TEST_F(MailboxTest, PagesKeepOrderAndBounds) {
  for (int i = 0; i < 5; ++i) send("builder", "tester", std::string(400'000, static_cast<char>('a' + i)));
  std::string order;
  Json after = nullptr;
  int pages = 0;
  do {
    Json args = {{"all", true}};
    if (!after.is_null()) args["after"] = after;
    const Json page = inbox("tester", args);
    for (const auto& message : page["messages"]) order += message["body"].get<std::string>()[0];
    after = page["next"];
    ++pages;
  } while (!after.is_null());
  EXPECT_EQ(order, "abcde");
  EXPECT_GE(pages, 3);
}

TEST_F(MailboxTest, RefusesWhatCannotArrive) {
  const auto to = [&](const std::string& receiver, const std::string& team = "alpha") {
    return rules_.call("message.send", {{"team", team}, {"from", "builder"}, {"to", receiver}, {"body", "x"}});
  };
  EXPECT_EQ(to("nobody").error().code, Code::refused);
  EXPECT_EQ(to("tester", "beta").error().code, Code::refused);
  EXPECT_EQ(to("../../x").error().code, Code::invalid);
  ASSERT_TRUE(rules_.call("team.leave", {{"team", "alpha"}, {"member", "tester"}, {"reason", "went home"}}));
  const auto gone = to("tester");
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().what, "member tester of team alpha is gone (went home)");
  EXPECT_EQ(gone.error().next, "Its live members are builder, lead");
}

TEST_F(MailboxTest, BodiesHaveALimit) {
  EXPECT_TRUE(rules_.call("message.send", {{"team", "alpha"}, {"to", "tester"}, {"body", ""}}));
  EXPECT_TRUE(rules_.call("message.send",
                          {{"team", "alpha"}, {"to", "tester"}, {"body", std::string(limits::kBodyMaxBytes, 'x')}}));
  const auto over = rules_.call(
      "message.send", {{"team", "alpha"}, {"to", "tester"}, {"body", std::string(limits::kBodyMaxBytes + 1, 'x')}});
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().what, "the message has 1048577 bytes, the limit is 1048576");
}

TEST_F(MailboxTest, KindsAndPrioritiesAreChecked) {
  const auto kind = [&](const std::string& from, const std::string& name, const std::string& body = "x") {
    return rules_.call("message.send",
                       {{"team", "alpha"}, {"from", from}, {"to", "tester"}, {"kind", name}, {"body", body}});
  };
  EXPECT_TRUE(kind("builder", "signal", "PASS"));
  EXPECT_EQ(kind("builder", "gossip").error().code, Code::invalid);
  EXPECT_EQ(kind("builder", "broadcast").error().code, Code::invalid);
  EXPECT_EQ(kind("builder", "shutdown_request").error().code, Code::refused);
  EXPECT_TRUE(kind("lead", "shutdown_request"));
  EXPECT_EQ(kind("builder", "shutdown_response", "yes").error().code, Code::invalid);
  EXPECT_EQ(rules_.call("message.send", {{"team", "alpha"}, {"to", "tester"}, {"body", ""}, {"priority", "urgent"}})
                .error()
                .code,
            Code::invalid);
  ASSERT_TRUE(rules_.call(
      "message.send",
      {{"team", "alpha"}, {"to", "builder"}, {"body", "stop"}, {"priority", "interrupt"}, {"summary", "stop"}}));
  const Json got = wait("builder");
  EXPECT_EQ(got[0]["priority"], "interrupt");
  EXPECT_EQ(got[0]["summary"], "stop");
  EXPECT_EQ(got[0]["from"], "operator");
}

TEST_F(MailboxTest, SignalsHaveAFormAndALimit) {
  const auto signal = [&](const std::string& body) {
    const auto sent = rules_.call(
        "message.send", {{"team", "alpha"}, {"from", "builder"}, {"to", "lead"}, {"kind", "signal"}, {"body", body}});
    return sent ? std::string() : sent.error().text();
  };
  EXPECT_EQ(signal("PASS|reqs:6|tier:STANDARD|gaps:0|ref:tasks/x/p0-brainstorm.md"), "");
  EXPECT_EQ(signal("BLOCKED|tool:WebSearch|reason:there is none"), "");
  EXPECT_EQ(signal("READY|path:tasks/x/p2-codebase.md|fields:places,claims"), "");
  for (const char* wrong : {"", "DONE|reqs:6", "PASS | reqs: 6", "PASS|reqs", "PASS|reqs:6\nmore", "READY|path:a",
                            "READY|fields:a|path:b", "pass"})
    EXPECT_NE(signal(wrong).find("STATUS is PASS, FAIL or BLOCKED"), std::string::npos) << wrong;
  const std::string head = "PASS|what:";
  EXPECT_EQ(signal(head + std::string(limits::kSignalMaxCharacters - head.size(), 'x')), "");
  EXPECT_NE(signal(head + std::string(limits::kSignalMaxCharacters - head.size() + 1, 'x')).find("the limit is 500"),
            std::string::npos);
}

TEST_F(MailboxTest, BroadcastReachesAllOthersOrNobody) {
  const Json sent = *rules_.call("message.broadcast", {{"team", "alpha"}, {"from", "builder"}, {"body", "all"}});
  EXPECT_EQ(sent["to"], Json({"lead", "tester"}));
  EXPECT_EQ(wait("tester")[0]["kind"], "broadcast");
  EXPECT_TRUE(wait("builder").empty());
  for (const char* name : {"lead", "tester"})
    ASSERT_TRUE(rules_.call("team.leave", {{"team", "alpha"}, {"member", name}}));
  EXPECT_EQ(rules_.call("message.broadcast", {{"team", "alpha"}, {"from", "builder"}, {"body", "x"}}).error().code,
            Code::refused);
}

TEST_F(MailboxTest, OperatorHasAnAddress) {
  send("tester", "operator", "please look");
  EXPECT_EQ(wait("operator")[0]["body"], "please look");
}

TEST_F(MailboxTest, UnseenIsRedeliveredThenDead) {
  const auto id = send("builder", "tester", "hello?");
  for (int delivery = 1; delivery <= limits::kDeliveriesMax; ++delivery) {
    const Json got = wait("tester");
    ASSERT_EQ(got.size(), 1U) << delivery;
    EXPECT_EQ(got[0]["deliveries"], delivery);
    rules_.pass(to_ms(limits::kRedeliverAfter) - 1);
    EXPECT_EQ(receipt(id), "delivered");
    rules_.pass(1);
  }
  EXPECT_EQ(receipt(id), "dead");
  EXPECT_TRUE(wait("tester").empty());
  const Json report = wait("lead");
  ASSERT_EQ(report.size(), 1U);
  EXPECT_EQ(report[0]["kind"], "signal");
  EXPECT_EQ(report[0]["from"], "hub");
  EXPECT_EQ(report[0]["body"],
            "DEAD|member:tester|messages:" + std::to_string(id) + "|reason:not seen after 3 deliveries");
}

TEST_F(MailboxTest, SeenIsNotRedelivered) {
  const auto id = send("builder", "tester", "x");
  ASSERT_TRUE(rules_.call("message.wait", {{"team", "alpha"}, {"member", "tester"}, {"mark", "seen"}}));
  rules_.pass(10 * to_ms(limits::kRedeliverAfter));
  EXPECT_EQ(receipt(id), "seen");
}

TEST_F(MailboxTest, TheClockStandsWhileATurnRuns) {
  const auto before = send("builder", "tester", "before");
  wait("tester");
  ASSERT_TRUE(rules_.call("team.turn", {{"team", "alpha"}, {"member", "tester"}, {"running", true}}));
  const auto during = send("builder", "tester", "during");
  wait("tester");
  rules_.pass(5 * to_ms(limits::kRedeliverAfter));
  EXPECT_EQ(receipt(before), "delivered");
  EXPECT_EQ(receipt(during), "delivered");
  ASSERT_TRUE(rules_.call("team.turn", {{"team", "alpha"}, {"member", "tester"}, {"running", false}}));
  rules_.pass(to_ms(limits::kRedeliverAfter) - 1);
  EXPECT_EQ(receipt(before), "delivered");
  rules_.pass(1);
  EXPECT_EQ(receipt(before), "queued");
  EXPECT_EQ(receipt(during), "queued");
}

TEST_F(MailboxTest, APeekDeliversNothingAndAMarkDelivers) {
  const auto id = send("builder", "tester", "look");
  const auto peeked = rules_.call("message.wait", {{"team", "alpha"}, {"member", "tester"}, {"peek", true}});
  ASSERT_TRUE(peeked);
  ASSERT_EQ((*peeked)["messages"].size(), 1U);
  EXPECT_EQ((*peeked)["messages"][0]["receipt"], "queued");
  const auto after =
      rules_.call("message.wait", {{"team", "alpha"}, {"member", "tester"}, {"peek", true}, {"after", id}});
  ASSERT_TRUE(after);
  EXPECT_TRUE((*after)["messages"].empty());
  const Json mark = {{"team", "alpha"}, {"member", "tester"}, {"ids", {id}}, {"mark", "delivered"}};
  ASSERT_TRUE(rules_.call("message.ack", mark));
  const auto inbox = rules_.call("message.inbox", {{"team", "alpha"}, {"member", "tester"}, {"peek", true}});
  ASSERT_TRUE(inbox);
  EXPECT_EQ((*inbox)["messages"][0]["receipt"], "delivered");
  EXPECT_EQ((*inbox)["messages"][0]["deliveries"], 1);
  const auto both =
      rules_.call("message.inbox", {{"team", "alpha"}, {"member", "tester"}, {"peek", true}, {"mark", "seen"}});
  ASSERT_FALSE(both);
  EXPECT_EQ(both.error().code, Code::invalid);
}

TEST_F(MailboxTest, TurnsAddUpWhatTheyCost) {
  Json end = {{"team", "alpha"}, {"member", "tester"}, {"running", false}, {"turn", 1}, {"text", "done"}};
  end["usage"] = {{"input_tokens", 100}, {"output_tokens", 20}, {"cost_usd", 0.25}};
  ASSERT_TRUE(rules_.call("team.turn", {{"team", "alpha"}, {"member", "tester"}, {"running", true}, {"turn", 1}}));
  ASSERT_TRUE(rules_.call("team.turn", end));
  ASSERT_TRUE(rules_.call("team.turn", end));
  const auto status = rules_.call("team.status", {{"team", "alpha"}});
  ASSERT_TRUE(status);
  for (const auto& member : (*status)["members"]) {
    if (member["name"] != "tester") continue;
    EXPECT_EQ(member["usage"]["turns"], 2);
    EXPECT_EQ(member["usage"]["input_tokens"], 200);
    EXPECT_EQ(member["usage"]["cost_usd"], 0.5);
  }
  end["usage"]["output_tokens"] = -1;
  EXPECT_FALSE(rules_.call("team.turn", end));
  end.erase("usage");
  end["epoch"] = 7;
  EXPECT_EQ(rules_.call("team.turn", end).error().code, Code::refused);
}

TEST_F(MailboxTest, ANewEpochGetsWhatTheOldOneDidNotSee) {
  const auto unseen = send("builder", "tester", "unseen");
  wait("tester");
  const auto seen = send("builder", "tester", "seen");
  ASSERT_TRUE(rules_.call("message.wait", {{"team", "alpha"}, {"member", "tester"}, {"mark", "seen"}}));
  ASSERT_TRUE(rules_.call("team.join", {{"team", "alpha"}, {"member", "tester"}}));
  EXPECT_EQ(receipt(unseen), "queued");
  EXPECT_EQ(receipt(seen), "seen");
  EXPECT_EQ(wait("tester")[0]["id"], unseen);
}

TEST_F(MailboxTest, MembersActAsThemselvesAlone) {
  const Actor builder = rules_.member("alpha", "builder");
  EXPECT_TRUE(rules_.call_as(builder, "message.send", {{"to", "tester"}, {"body", "x"}}));
  EXPECT_EQ(rules_.call_as(builder, "message.send", {{"from", "lead"}, {"to", "tester"}, {"body", "x"}}).error().code,
            Code::refused);
  EXPECT_EQ(rules_.call_as(builder, "message.inbox", {{"member", "tester"}}).error().code, Code::refused);
  ASSERT_TRUE(rules_.call("team.create", {{"team", "beta"}, {"members", {"builder"}}}));
  EXPECT_EQ(rules_.call_as(builder, "message.send", {{"team", "beta"}, {"to", "builder"}, {"body", "x"}}).error().code,
            Code::refused);
  EXPECT_EQ(rules_.call_as(builder, "team.create", {{"team", "gamma"}}).error().code, Code::refused);
  const auto foreign = send("lead", "tester", "private");
  EXPECT_EQ(rules_.call_as(builder, "message.receipt", {{"id", foreign}}).error().code, Code::refused);
}

TEST_F(MailboxTest, OlderEpochIsRecordedAndHasNoEffect) {
  const Actor old = rules_.member("alpha", "builder");
  ASSERT_TRUE(rules_.call("team.join", {{"team", "alpha"}, {"member", "builder"}}));
  const auto before = *rules_.store().event_count();
  const auto refused = rules_.call_as(old, "message.send", {{"to", "tester"}, {"body", "ghost"}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::refused);
  EXPECT_NE(refused.error().what.find("epoch 1 of member builder, which is in epoch 2"), std::string::npos);
  EXPECT_EQ(*rules_.store().event_count(), before + 1);
  EXPECT_TRUE(wait("tester").empty());
}

}  // namespace
}  // namespace teamster::team
