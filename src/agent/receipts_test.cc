// What a host has to tell the hub is told, whatever becomes of the hub meanwhile.
#include "agent/receipts.h"

#include "agent/hosted_member_for_test.h"
#include "base/limits.h"

namespace teamster::agent {
namespace {

class ReceiptsTest : public HostedMemberTest {
 protected:
  // Longer than a client waits for a hub.
  void leave_hub_away() {
    hubs_.keep_away(true);
    world_.run_for(3 * limits::kClientGiveUpAfter);
  }
  std::vector<std::string> marks() {
    std::vector<std::string> marks;
    const Json events = call("journal.read", {{"team", "alpha"}, {"after", 0}})["events"];
    for (const auto& event : events) {
      if (event["kind"] == "message.delivered") marks.emplace_back("delivered");
      if (event["kind"] == "message.marked") marks.push_back(event["body"]["mark"]);
      if (event["kind"] == "member.turn") marks.emplace_back(event["body"]["running"] ? "began" : "ended");
    }
    return marks;
  }
};

TEST_F(ReceiptsTest, ComeInOrderAndOnceWhenTheHubIsBack) {
  start_and_wait();
  const auto id = send("work");
  ASSERT_TRUE(wait_said(1));
  hubs_.keep_away(true);
  agent().take();
  world_.run_for(2 * limits::kClientGiveUpAfter);
  agent().speak("I begin");
  world_.run_for(2 * limits::kClientGiveUpAfter);
  agent().end({.text = "done", .inputs = {agent().last()}});
  world_.run_for(2 * limits::kClientGiveUpAfter);
  hubs_.keep_away(false);
  expect_receipt(id, "acted");
  ASSERT_TRUE(within(5s, [&] { return ended_turns().size() == 1; }));
  world_.run_for(1min);
  EXPECT_EQ(marks(), (std::vector<std::string>{"began", "delivered", "seen", "acted", "ended"}));
  EXPECT_FALSE(outcome_) << "the member is there still";
  send("more");
  EXPECT_TRUE(wait_said(2)) << "and hears again";
}

TEST_F(ReceiptsTest, AreToldOnceWhereverTheHubDies) {
  start_and_wait();
  for (int i = 0; i < 20; ++i) {
    const auto id = send("work " + std::to_string(i));
    ASSERT_TRUE(wait_said(static_cast<std::size_t>(i) + 1));
    agent().answer("done");
    int steps = 0;
    world_.run_until([&] { return ++steps > 3 * i; });
    hubs_.kill();
    expect_receipt(id, "acted");
    ASSERT_TRUE(within(5s, [&] { return ended_turns().size() == static_cast<std::size_t>(i) + 1; })) << i;
  }
  EXPECT_EQ(status_of("builder")["usage"]["turns"], 20);
}

TEST_F(ReceiptsTest, AnAnswerIsToldWhenTheJournalHasIt) {
  start_and_wait();
  std::optional<TurnResult> result;
  member_->ask({.text = "build it", .id = "w-1/build.1"}, [&](const TurnResult& outcome) { result = outcome; });
  ASSERT_TRUE(wait_said(1));
  hubs_.keep_away(true);
  agent().answer("built");
  world_.run_for(3 * limits::kClientGiveUpAfter);
  EXPECT_FALSE(result) << "a crash could take it back";
  hubs_.keep_away(false);
  ASSERT_TRUE(within(1min, [&] { return result.has_value(); }));
  EXPECT_TRUE(result->end.is_good());
  EXPECT_EQ(call("turn.get", {{"team", "alpha"}, {"prompt", "w-1/build.1"}})["turn"]["text"], "built");
}

TEST_F(ReceiptsTest, AnAnswerThatTheHubRefusesIsNone) {
  start_and_wait();
  std::optional<TurnResult> result;
  member_->ask({.text = "build it", .id = "w-1/build.1"}, [&](const TurnResult& outcome) { result = outcome; });
  ASSERT_TRUE(wait_said(1));
  call("team.join", {{"team", "alpha"}, {"member", "builder"}});  // by another host
  agent().answer("built");
  ASSERT_TRUE(within(1min, [&] { return result.has_value(); }));
  EXPECT_EQ(result->end.fault, Fault::crashed);
  EXPECT_TRUE(has(result->end.error, "not recorded")) << result->end.error;
}

TEST_F(ReceiptsTest, WhoLeavesTellsEverythingFirst) {
  start_and_wait();
  const auto id = send("work");
  ASSERT_TRUE(wait_said(1));
  hubs_.keep_away(true);
  agent().answer("done");
  member_->stop("enough");
  agent().die("exited with code 0");
  world_.run_for(limits::kClientGiveUpAfter + 5s);
  EXPECT_FALSE(outcome_) << "not before it is told";
  hubs_.keep_away(false);
  ASSERT_TRUE(wait_gone());
  EXPECT_TRUE(*outcome_);
  EXPECT_EQ(receipt(id), "acted");
  EXPECT_EQ(ended_turns().size(), 1U);
  EXPECT_NE(status_of("builder")["state"], "live");
}

TEST_F(ReceiptsTest, AHubThatStaysAwayKeepsNobodyForEver) {
  start_and_wait();
  hubs_.keep_away(true);
  member_->stop("enough");
  agent().die("exited with code 0");
  world_.run_for(limits::kFarewellMax + 5s);
  ASSERT_TRUE(outcome_);
  ASSERT_FALSE(*outcome_);
  EXPECT_TRUE(has(outcome_->error().what, "1 receipts of member builder")) << outcome_->error().text();
  hubs_.keep_away(false);
  world_.run_for(5s);
}

TEST_F(ReceiptsTest, WhatAnEarlierHostLeftIsReadWhenTheHubIsBack) {
  start_and_wait();
  const auto id = send("work");
  ASSERT_TRUE(wait_said(1));
  agent().take();
  agent().speak("I begin");
  expect_receipt(id, "seen");
  member_.reset();
  is_ready_ = false;
  start();
  ASSERT_TRUE(within(5s, [this] { return is_ready_; }));
  leave_hub_away();
  hubs_.keep_away(false);
  ASSERT_TRUE(wait_said(1));
  EXPECT_TRUE(has(text(0), "work"));
}

}  // namespace
}  // namespace teamster::agent
