#include "engine/left_teams.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "env/files.h"
#include "env/sim/sim_world.h"

namespace teamster::engine {
namespace {

using namespace std::chrono_literals;

class LeftTeamsTest : public testing::Test {
 protected:
  void leave_claude_team(const std::string& name) {
    const std::string place = "/home/kim/.claude/teams/" + name;
    ASSERT_TRUE(view_.files.make_private_directory(place));
    ASSERT_TRUE(view_.files.write_atomically(place + "/config.json", R"({"leadProcess":{"pid":99999}})", 0600));
  }

  env::sim::World world_{5};
  env::World view_ = world_.start("teamster").view();
  std::vector<hub::Request> asked_;
  Json answer_ = {{"orphans", Json::array()}};
  LeftTeams teams_{[this](hub::Request request) -> Result<Json> {
                     asked_.push_back(std::move(request));
                     return answer_;
                   },
                   view_, hub::Home("/home/kim/t"), "/home/kim/.claude"};
};

TEST_F(LeftTeamsTest, OursAreThoseThatTheHubNamesAndAreOldEnough) {
  answer_ = Json::parse(R"({"orphans":[{"team":"young","place":"/p/young","age_ms":1000,"reason":"gone"},
                                       {"team":"old","ref":"old@p","place":"/p/old","age_ms":7200000,"reason":"gone"}]})");
  EXPECT_EQ(teams_.ours()->size(), 2U);
  const auto old = *teams_.ours(1h);
  ASSERT_EQ(old.size(), 1U);
  EXPECT_EQ(warning_about(old.front()),
            "WARNING: Orphaned team detected: old\n"
            "Team directory: /p/old\n"
            "Age: 2 hours\n"
            "To cleanup: teamster team cleanup");
  answer_ = Json::parse(R"({"team":"old","deleted":true,"forced":[]})");
  ASSERT_TRUE(teams_.remove(old.front()));
  EXPECT_EQ(asked_.back().op, "team.delete");
  EXPECT_EQ(asked_.back().args, Json::parse(R"({"team":"old@p","force":true,"only_orphan":true})"));
}

TEST_F(LeftTeamsTest, ThoseOfClaudeCodeAreOnesInWhichNobodyLives) {
  leave_claude_team("alpha");
  ASSERT_EQ(teams_.of_claude_code().size(), 1U);
  EXPECT_TRUE(teams_.of_claude_code(1h).empty());
  world_.run_for(3h);
  const auto left = teams_.of_claude_code(1h);
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(warning_about(left.front()),
            "WARNING: Orphaned team detected: alpha\n"
            "Team directory: /home/kim/.claude/teams/alpha\n"
            "Age: 3 hours\n"
            "To cleanup: teamster team cleanup --claude-code");
  ASSERT_TRUE(teams_.remove(left.front()));
  EXPECT_TRUE(teams_.all_of_claude_code().empty());
  EXPECT_TRUE(asked_.empty()) << "the hub knows nothing of it";
  EXPECT_FALSE(teams_.remove(left.front())) << "it is gone";
}

TEST(AgeInWords, IsTheLargestWholeUnit) {
  EXPECT_EQ(age_in_words(-5s), "0 seconds");
  EXPECT_EQ(age_in_words(1s), "1 second");
  EXPECT_EQ(age_in_words(119s), "1 minute");
  EXPECT_EQ(age_in_words(7199s), "1 hour");
  EXPECT_EQ(age_in_words(2h), "2 hours");
  EXPECT_EQ(age_in_words(73h), "3 days");
}

}  // namespace
}  // namespace teamster::engine
