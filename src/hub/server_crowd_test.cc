// Clients that ask together: what each asks is done as it comes, and committed once for all.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/simulated_hubs.h"

namespace teamster::hub {
namespace {

using namespace std::chrono_literals;

constexpr int kCrowd = 6;

class ServerCrowdTest : public testing::Test {
 protected:
  ServerCrowdTest() {
    for (int i = 0; i < kCrowd; ++i)
      clients_.push_back(
          std::make_unique<Client>(world_.start("client").view(), hubs_.home(), Access::operator_of_home()));
    EXPECT_TRUE(clients_[0]->call_and_wait({"team.create", {{"team", "alpha"}, {"members", {"tester"}}}, {}, {}}));
    // Twice, so that the hub knows them for a crowd.
    for (int round = 0; round < 2; ++round) {
      for (int i = 0; i < kCrowd; ++i) send(i);
      expect_all_answered();
    }
  }

  void send(int client) {
    ++asked_;
    const std::string body = std::to_string(asked_);
    clients_[static_cast<std::size_t>(client)]->call(
        {"message.send", {{"team", "alpha"}, {"to", "tester"}, {"body", body}}, {}, {}},
        [this](const Result<Json>& sent) {
          EXPECT_TRUE(sent) << sent.error().text();
          ++answered_;
        });
  }
  void expect_all_answered() {
    world_.run_until([this] { return answered_ == asked_; });
    EXPECT_EQ(answered_, asked_);
  }
  Json status() { return *clients_[0]->call_and_wait({"hub.status", Json::object(), {}, {}}); }
  std::multiset<std::string> inbox() {
    const Json args = {{"team", "alpha"}, {"member", "tester"}};
    std::multiset<std::string> bodies;
    const Json answer = *clients_[0]->call_and_wait({"message.inbox", args, {}, {}});
    for (const auto& message : answer.at("messages")) bodies.insert(message.at("body").get<std::string>());
    return bodies;
  }
  void expect_each_once() {
    std::multiset<std::string> all;
    for (int i = 1; i <= asked_; ++i) all.insert(std::to_string(i));
    EXPECT_EQ(inbox(), all);
  }

  env::sim::World world_{11};
  SimulatedHubs hubs_{world_};
  std::vector<std::unique_ptr<Client>> clients_;
  int asked_ = 0;
  int answered_ = 0;
};

TEST_F(ServerCrowdTest, WhoComesOneAfterTheOtherIsCommittedTogether) {
  const int rounds = 20;
  const Json before = status();
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < kCrowd; ++i) {
      send(i);
      world_.run_for(20us);
    }
    expect_all_answered();
  }
  const Json after = status();
  EXPECT_GE(after["requests"].get<int>() - before["requests"].get<int>(), rounds * kCrowd);
  EXPECT_LT(after["commits"].get<int>() - before["commits"].get<int>(), rounds * kCrowd * 2 / 3);
  expect_each_once();
}

TEST_F(ServerCrowdTest, WhoIsAloneIsNotKeptWaiting) {
  send(3);
  expect_all_answered();
  expect_each_once();
}

TEST_F(ServerCrowdTest, AHubThatDiesBeforeTheCommitHasPromisedNothing) {
  for (int moment = 1; moment < 12; ++moment) {
    for (int i = 0; i < kCrowd - 2; ++i) send(i);
    world_.run_for(moment * 40us);
    hubs_.kill();
    expect_all_answered();
  }
  expect_each_once();
}

TEST_F(ServerCrowdTest, WhatWasDoneIsAnsweredWhenTheHubIsToldToStop) {
  send(1);
  send(2);
  std::optional<Result<Json>> stopped;
  clients_[3]->call({"hub.stop", Json::object(), {}, {}}, [&](Result<Json> answer) { stopped = std::move(answer); });
  world_.run_until([&] { return stopped.has_value() && answered_ == asked_; });
  ASSERT_TRUE(*stopped) << stopped->error().text();
  EXPECT_EQ(answered_, asked_);
  world_.run_for(1s);
  expect_each_once();
  EXPECT_EQ(hubs_.started(), 2) << "asking for the inbox has started another";
}

}  // namespace
}  // namespace teamster::hub
