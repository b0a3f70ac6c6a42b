#include "protocol/client/hub_calls.h"

#include "protocol/client/calls_for_test.h"
#include "protocol/client/team_calls.h"
#include "protocol/words/record_kinds.h"

namespace teamster::hub {
namespace {

using HubCallsTest = CallsTest;

TEST_F(HubCallsTest, TheHubSaysHowItDoes) {
  const HubStatus status = call(GetHubStatus{});
  EXPECT_GT(status.pid, 0);
  EXPECT_EQ(status.home, hubs_.home().path());
  EXPECT_GT(status.store_format, 0);
  const auto checked = call(CheckStore{.rebuild = true});
  EXPECT_TRUE(checked.is_ok);
  EXPECT_TRUE(checked.problems.empty());
}

TEST_F(HubCallsTest, EveryPageOfTheJournalIsRead) {
  call(CreateTeam{.team = "alpha", .members = {"a", "b", "c"}});
  call(CreateTeam{.team = "beta"});
  const auto all = ask_for_all_and_wait(client_, ReadJournal{.limit = 2});
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 5U);
  EXPECT_EQ(all->at(1).kind, kind::kMemberJoined);
  EXPECT_EQ(all->at(1).team, "alpha");
  EXPECT_EQ(all->at(1).actor, "operator");
  EXPECT_EQ(all->at(1).body["member"], "a");
  const auto of_team = call(ReadJournal{.team = "beta"});
  EXPECT_EQ(of_team.items.size(), 1U);
  EXPECT_EQ(of_team.last, 5);
}

TEST_F(HubCallsTest, GarbageIsNamed) {
  call(CreateTeam{.team = "alpha"});
  call(DeleteTeam{.team = "alpha"});
  world_.run_for(std::chrono::seconds(1));
  const auto would = call(CollectGarbage{.dry_run = true});
  EXPECT_EQ(would.teams, std::vector<std::string>{"alpha"});
  EXPECT_TRUE(would.is_done);
  const auto removed = call(CollectGarbage{});
  EXPECT_EQ(removed.teams, std::vector<std::string>{"alpha"});
  EXPECT_EQ(removed.events, 2);
  EXPECT_TRUE(removed.is_done);
}

}  // namespace
}  // namespace teamster::hub
