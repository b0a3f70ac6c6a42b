#include "project/expression.h"

#include <gtest/gtest.h>

#include "base/limits.h"

namespace teamster::engine {
namespace {

TEST(Expression, GivesTheFirstGroup) {
  EXPECT_EQ(*first_group(R"(specs/[0-9]{2}-(.*)\.md)", "specs/08-log-in.md"), "log-in");
  EXPECT_EQ(*first_group("^Page: *(.+)$", "Page:  /login"), "/login");
  EXPECT_EQ(*first_group("b+", "abbc"), "bb") << "without a group all that matched";
  EXPECT_EQ(*first_group("(x)?y", "y"), "") << "a group that took no part";
  EXPECT_EQ(*first_group("z", "abc"), std::nullopt);
}

TEST(Expression, MatchesTheWholeText) {
  EXPECT_TRUE(*matches_whole("[0-9]{2}", "08"));
  EXPECT_FALSE(*matches_whole("[0-9]{2}", "008"));
  EXPECT_FALSE(*matches_whole("[0-9]{2}", "08\n"));
  EXPECT_TRUE(*matches_whole("", "anything"));
}

TEST(Expression, BadPatternsAreErrors) {
  for (const char* pattern : {"(", "[a", "*", R"((a)\1)", "(a{1000}){1000}"}) {
    EXPECT_FALSE(first_group(pattern, "a")) << pattern;
    EXPECT_FALSE(matches_whole(pattern, "a")) << pattern;
  }
  EXPECT_FALSE(first_group(std::string(limits::kPatternMaxBytes + 1, 'a'), "a"));
}

TEST(Expression, TimeAndStackAreBounded) {
  const std::string text(limits::kPatternTextMaxBytes, 'a');
  EXPECT_EQ(*first_group("(a+)+b", text), std::nullopt);
  EXPECT_EQ(first_group("(.*)", text)->value().size(), text.size());
  EXPECT_EQ(*first_group("a", text + "a"), std::nullopt) << "a text over the limit has no match";
}

}  // namespace
}  // namespace teamster::engine
