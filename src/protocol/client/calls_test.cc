#include "protocol/client/calls.h"

#include <memory>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/simulated_hubs.h"

namespace teamster::hub {
namespace {

class OwnedCallsTest : public testing::Test {
 protected:
  void create(const std::string& team) {
    calls_->call({.op = "team.create", .args = {{"team", team}}}, [this](const Result<Json>& answer) {
      EXPECT_TRUE(answer);
      ++answered_;
    });
  }

  env::sim::World world_{5};
  SimulatedHubs hubs_{world_};
  Client client_{world_.start("operator").view(), hubs_.home(), Access::operator_of_home()};
  std::unique_ptr<Calls> calls_ = std::make_unique<Calls>(client_);
  int answered_ = 0;
};

TEST_F(OwnedCallsTest, AnswersAll) {
  for (const char* team : {"alpha", "beta", "gamma"}) create(team);
  world_.run_for(std::chrono::seconds(1));
  EXPECT_EQ(answered_, 3);
}

TEST_F(OwnedCallsTest, NoneIsAnsweredAfterItsOwner) {
  create("alpha");
  create("beta");
  calls_.reset();
  world_.run_for(std::chrono::seconds(1));
  EXPECT_EQ(answered_, 0);
  EXPECT_EQ((*client_.call_and_wait({.op = "team.list", .args = {}}))["teams"].size(), 2U) << "they were done";
}

TEST_F(OwnedCallsTest, AnAnswerMayEndTheOwnerOfTheOthers) {
  calls_->call({.op = "team.create", .args = {{"team", "alpha"}}}, [this](const Result<Json>&) {
    ++answered_;
    calls_.reset();
  });
  create("beta");
  world_.run_for(std::chrono::seconds(1));
  EXPECT_EQ(answered_, 1);
}

}  // namespace
}  // namespace teamster::hub
