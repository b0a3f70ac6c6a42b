#include "project/project_path.h"

#include <gtest/gtest.h>

namespace teamster::engine {
namespace {

TEST(ProjectPath, StaysInTheProject) {
  for (const char* good : {"a", "a/b", ".", "./a", "..a", "a..", "-a", "a b", "specs/*.md"})
    EXPECT_TRUE(check_project_path("the path", good)) << good;
  for (const char* bad : {"", "/a", "..", "../a", "a/..", "a/../b", "a\nb", "a\x7f"})
    EXPECT_FALSE(check_project_path("the path", bad)) << bad;
  EXPECT_FALSE(check_project_path("the path", std::string_view("a\0b", 3)));
}

TEST(ProjectPath, AFileNameIsOneName) {
  EXPECT_TRUE(check_file_name("the artifact", "001-p01-implement.json"));
  for (const char* bad : {"", "a/b", ".hidden", "..", "/a"}) EXPECT_FALSE(check_file_name("the artifact", bad)) << bad;
  EXPECT_FALSE(check_file_name("the artifact", std::string(256, 'a')));
}

TEST(ProjectPath, KnowsWhatIsBelow) {
  EXPECT_TRUE(is_at_or_below("progress/a", "progress"));
  EXPECT_TRUE(is_at_or_below("progress/a", "progress/"));
  EXPECT_TRUE(is_at_or_below("progress/a", "./progress"));
  EXPECT_TRUE(is_at_or_below("progress", "progress/"));
  EXPECT_TRUE(is_at_or_below("progress/", "progress"));
  EXPECT_TRUE(is_at_or_below("anything", "."));
  EXPECT_FALSE(is_at_or_below("progressive", "progress"));
  EXPECT_FALSE(is_at_or_below("a/progress", "progress"));
}

}  // namespace
}  // namespace teamster::engine
