// The hub dies at any moment and nobody notices: nothing acknowledged is lost or doubled,
// and nobody who waits is forgotten.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <map>
#include <thread>

#include <fmt/format.h>

#include "e2e/senders.h"

namespace teamster::e2e {
namespace {

constexpr int kSenders = 8;
constexpr int kMessagesEach = 1000;
constexpr int kAcknowledgedPerKill = 200;
constexpr int kKillsAtLeast = 30;

Result<void> send_all(hub::Client& client, int sender, SharedCounters& acknowledged) {
  for (int i = 0; i < kMessagesEach; ++i) {
    const std::string body = std::to_string(sender) + " " + std::to_string(i);
    const Json args = {{"team", "alpha"}, {"from", fmt::format("s{}", sender)}, {"to", "sink"}, {"body", body}};
    TRY_VOID(client.call_and_wait({.op = "message.send", .args = args, .wait = {}, .key = {}}));
    acknowledged.add(0);
  }
  return {};
}

TEST(Kills, EveryAcknowledgedMessageIsThereOnceAndInOrder) {
  const Home home;
  Words members = {"sink"};
  for (int i = 0; i < kSenders; ++i) members.push_back(fmt::format("s{}", i));
  home.create_team("alpha", members);
  SharedCounters acknowledged(1);
  std::vector<Process> senders;
  for (int i = 0; i < kSenders; ++i)
    senders.push_back(fork_client(home, [&, i](hub::Client& client) { return send_all(client, i, acknowledged); }));

  int kills = 0;
  for (int at = kAcknowledgedPerKill; at < kSenders * kMessagesEach; at += kAcknowledgedPerKill) {
    ASSERT_TRUE(eventually([&] { return acknowledged.get(0) >= at; }))
        << "stuck after " << acknowledged.get(0) << " messages";
    kills += home.kill_hubs() > 0 ? 1 : 0;
  }
  for (auto& sender : senders) {
    EXPECT_EQ(sender.wait(), 0) << sender.err();
    EXPECT_EQ(sender.err(), "");
  }
  EXPECT_GE(kills, kKillsAtLeast);

  std::map<int, int> next;
  const auto messages = home.inbox("alpha", "sink", {"--all"});
  for (const auto& message : messages) {
    std::istringstream text(message["body"].get<std::string>());
    int sender = -1;
    int number = -1;
    text >> sender >> number;
    ASSERT_EQ(message["from"], fmt::format("s{}", sender));
    ASSERT_EQ(number, next[sender]++) << "lost, doubled or out of order from sender " << sender;
  }
  EXPECT_EQ(messages.size(), static_cast<std::size_t>(kSenders * kMessagesEach));
  EXPECT_EQ(home.ok({"doctor", "--deep"})["score"], 100);
}

class Waiters : public testing::Test {
 protected:
  // Kills the hub that has this one parked, several times.
  void kill_while_parked(Process& waiter) {
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(eventually([&] { return is_parked(); })) << waiter.err();
      ASSERT_TRUE(waiter.is_running()) << waiter.out() << waiter.err();
      ASSERT_GT(home_.kill_hubs(), 0);
    }
    ASSERT_TRUE(eventually([&] { return is_parked(); })) << "it comes back by itself, and starts the hub that it needs";
  }
  bool is_parked() {
    const Outcome status = home_.run({"hub", "--status", "--json"});
    return status.exit == 0 && status.json.value("parked", 0) == 1;
  }

  Home home_;
};

TEST_F(Waiters, AMessageReachesWhoWaitsAcrossKills) {
  home_.create_team("alpha", {"builder", "tester"});
  Process waiter =
      home_.start({"message", "wait", "--team", "alpha", "--member", "tester", "--timeout", "60s", "--json"});
  kill_while_parked(waiter);
  home_.send("alpha", "builder", "tester", "at last");
  ASSERT_EQ(waiter.wait(10s), 0) << waiter.err();
  EXPECT_EQ(Json::parse(waiter.out())["messages"].at(0)["body"], "at last");
  EXPECT_EQ(waiter.err(), "");
}

TEST_F(Waiters, ATaskReachesWhoWaitsAcrossKills) {
  home_.create_team("alpha", {"builder", "tester"});
  Process waiter = home_.start({"task", "claim", "--team", "alpha", "--member", "tester", "--wait", "60s", "--json"});
  kill_while_parked(waiter);
  home_.ok({"task", "create", "--team", "alpha", "work"});
  ASSERT_EQ(waiter.wait(10s), 0) << waiter.err();
  EXPECT_EQ(Json::parse(waiter.out())["task"]["owner"], "tester");
}

TEST_F(Waiters, ATimeoutIsKeptAcrossKills) {
  home_.create_team("alpha", {"tester"});
  const auto begin = std::chrono::steady_clock::now();
  Process waiter =
      home_.start({"message", "wait", "--team", "alpha", "--member", "tester", "--timeout", "3s", "--json"});
  ASSERT_TRUE(eventually([&] { return is_parked(); }));
  home_.kill_hubs();
  ASSERT_EQ(waiter.wait(20s), 1) << waiter.err();
  const auto took = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(took, 2900ms);
  EXPECT_LT(took, 10s);
}

TEST_F(Waiters, AFollowerOfTheLogSeesEachEventOnceAcrossKills) {
  home_.create_team("alpha", {"tester"});
  Process follower = home_.start({"log", "--follow", "--kind", "message.sent", "--json"});
  for (const std::string text : {"first", "second", "third"}) {
    ASSERT_TRUE(eventually([&] { return is_parked(); })) << follower.err();
    ASSERT_GT(home_.kill_hubs(), 0);
    home_.send("alpha", "operator", "tester", text);
    ASSERT_TRUE(eventually([&] { return follower.out().find(text) != std::string::npos; })) << follower.err();
  }
  const std::string out = follower.out();
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 3) << out;
  EXPECT_EQ(follower.err(), "");
}

// The hub may die between a commit and the files that belong to it.
TEST_F(Waiters, TeamsAndTheirFilesComeAndGoTogetherUnderKills) {
  (void)home_.hub_pid();
  for (int i = 0; i < 12; ++i) {
    const std::string team = fmt::format("t{}", i);
    Process create = home_.start({"team", "create", team, "--member", "a", "--member", "b"});
    std::this_thread::sleep_for(Milliseconds(2 * i));  // another place to die in each round
    home_.kill_hubs();
    ASSERT_EQ(create.wait(), 0) << create.err();
    (void)home_.hub_pid();  // members cannot start one
    for (const char* member : {"a", "b"})
      home_.ok({"message", "inbox", "--token-file", home_.token_file(team, member)});
    Process remove = home_.start({"team", "delete", team, "--force"});
    std::this_thread::sleep_for(Milliseconds(2 * i));
    home_.kill_hubs();
    ASSERT_EQ(remove.wait(), 0) << remove.err();
    EXPECT_FALSE(std::filesystem::exists(home_.file("teams/" + team)));
  }
  EXPECT_EQ(home_.ok({"team", "list"})["teams"].size(), 0U);
}

TEST_F(Waiters, CommandsUnderFireAllSucceedOnce) {
  home_.create_team("alpha", {"builder", "tester"});
  int sent = 0;
  for (int round = 0; round < 6; ++round) {
    std::vector<Process> commands;
    for (int i = 0; i < 5; ++i)
      commands.push_back(home_.start(
          {"message", "send", "--team", "alpha", "--from", "builder", "--to", "tester", std::to_string(sent++)}));
    home_.kill_hubs();
    for (auto& command : commands) ASSERT_EQ(command.wait(), 0) << command.err();
  }
  EXPECT_EQ(home_.inbox("alpha", "tester").size(), static_cast<std::size_t>(sent));
}

}  // namespace
}  // namespace teamster::e2e
