#include "base/team_ref.h"

#include <gtest/gtest.h>

namespace teamster {
namespace {

TEST(TeamRefTest, IsANameWithOrWithoutATag) {
  const auto plain = TeamRef::parse("spec-01");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->text(), "spec-01");
  const TeamRef of_project = TeamRef::of("spec-01", "/home/kim/a");
  EXPECT_EQ(of_project.tag.size(), 8U);
  const auto again = TeamRef::parse(of_project.text());
  ASSERT_TRUE(again) << of_project.text();
  EXPECT_EQ(again->name, "spec-01");
  EXPECT_EQ(again->tag, of_project.tag);
  EXPECT_NE(TeamRef::of("spec-01", "/home/kim/b").text(), of_project.text());
  EXPECT_EQ(TeamRef::of("spec-01", "").text(), "spec-01");
}

TEST(TeamRefTest, NothingElseIsOne) {
  for (const char* text : {"", "@3fa2b1c9", "spec-01@", "spec-01@3fa2", "spec-01@3FA2B1C9", "spec-01@3fa2b1c9x", "a/b",
                           "spec-01@../../x0"})
    EXPECT_FALSE(TeamRef::parse(text)) << text;
}

}  // namespace
}  // namespace teamster
