#include "agent/temporary_directory.h"

#include <gtest/gtest.h>

namespace teamster::agent {
namespace {

TEST(TemporaryDirectory, IsTheMembersOwnWhereSocketsFit) {
  EXPECT_EQ(temporary_directory_of(hub::Home("/home/ada/t"), "team", "builder"), "/home/ada/t/teams/team/builder/tmp");
}

TEST(TemporaryDirectory, OfALongHomeIsBelowOneRoot) {
  const hub::Home home("/" + std::string(60, 'h'));
  const std::string builder = temporary_directory_of(home, "team", "builder");
  EXPECT_TRUE(builder.starts_with(temporary_root_of(home) + "/")) << builder;
  EXPECT_LT(builder.size(), 70U);
  EXPECT_NE(builder, temporary_directory_of(home, "team", "tester"));
  EXPECT_NE(temporary_root_of(home), temporary_root_of(hub::Home("/" + std::string(61, 'h'))));
}

}  // namespace
}  // namespace teamster::agent
