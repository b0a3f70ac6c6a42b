#include "team/resolve.h"

#include <gtest/gtest.h>

#include "base/team_ref.h"
#include "team/rules_for_test.h"

namespace teamster::team {
namespace {

class ResolveTest : public testing::Test {
 protected:
  void create(const std::string& project) {
    const auto made = rules_.call("team.create", {{"team", "spec-01"}, {"project", project}, {"members", {"builder"}}});
    ASSERT_TRUE(made) << made.error().text();
  }
  // The project of the team that is meant, or what is said.
  std::string meant(const std::string& team, const std::string& directory) {
    const auto status = rules_.call("team.status", {{"team", team}, {"directory", directory}});
    if (!status) return status.error().what;
    return (*status)["project"].is_null() ? "by hand" : (*status)["project"].get<std::string>();
  }

  Rules rules_;
};

TEST_F(ResolveTest, EachProjectHasATeamOfTheName) {
  create("/home/kim/a");
  create("/home/kim/b");
  const auto again = rules_.call("team.create", {{"team", "spec-01"}, {"project", "/home/kim/a"}});
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, Code::refused);
}

TEST_F(ResolveTest, ANameMeansTheTeamOfTheDirectory) {
  create("/home/kim/a");
  EXPECT_EQ(meant("spec-01", "/elsewhere"), "/home/kim/a") << "there is but one";
  create("/home/kim/b");
  create("/home/kim/a/inner");
  EXPECT_EQ(meant("spec-01", "/home/kim/a"), "/home/kim/a");
  EXPECT_EQ(meant("spec-01", "/home/kim/a/src"), "/home/kim/a");
  EXPECT_EQ(meant("spec-01", "/home/kim/a/inner/src"), "/home/kim/a/inner") << "the nearest";
  EXPECT_EQ(meant("spec-01", "/home/kim/b"), "/home/kim/b");
  EXPECT_NE(meant("spec-01", "/home/kim/ab").find("3 teams have the name spec-01"), std::string::npos);
  EXPECT_EQ(meant(TeamRef::of("spec-01", "/home/kim/b").text(), "/home/kim/a"), "/home/kim/b");
  EXPECT_NE(meant(TeamRef::of("spec-01", "/gone").text(), "/home/kim/a").find("there is no team"), std::string::npos);
}

TEST_F(ResolveTest, OneMadeByHandIsMeantWhereNoProjectIs) {
  create("/home/kim/a");
  ASSERT_TRUE(rules_.call("team.create", {{"team", "spec-01"}}));
  EXPECT_EQ(meant("spec-01", "/home/kim/a"), "/home/kim/a");
  EXPECT_EQ(meant("spec-01", "/elsewhere"), "by hand");
}

TEST_F(ResolveTest, ATagThatIsNotTheProjectsIsRefused) {
  const auto wrong =
      rules_.call("team.create", {{"team", TeamRef::of("spec-01", "/home/kim/b").text()}, {"project", "/home/kim/a"}});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, Code::invalid);
}

TEST_F(ResolveTest, AMemberMayNameItsTeamEitherWay) {
  create("/home/kim/a");
  const auto row = **rules_.store().projection().teams.find(TeamRef::of("spec-01", "/home/kim/a"));
  const auto builder = **rules_.store().projection().members.find(row.id, "builder");
  const Actor actor{false, row.id, builder.id, builder.epoch, "builder"};
  EXPECT_TRUE(rules_.call_as(actor, "team.status", {{"team", "spec-01"}}));
  EXPECT_TRUE(rules_.call_as(actor, "team.status", {{"team", row.ref().text()}}));
  EXPECT_FALSE(rules_.call_as(actor, "team.status", {{"team", "spec-02"}}));
}

}  // namespace
}  // namespace teamster::team
