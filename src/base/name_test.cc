#include "base/name.h"

#include <gtest/gtest.h>

namespace teamster {
namespace {

TEST(Name, AcceptsTheGrammar) {
  for (const std::string& text :
       {std::string("a"), std::string("0"), std::string("spec-08"), std::string("a--"), std::string(64, 'x')})
    EXPECT_EQ(Name::parse("team", text)->text(), text);
}

TEST(Name, RefusesEverythingElse) {
  for (const std::string& text :
       {std::string(), std::string("-a"), std::string("A"), std::string("a_b"), std::string("a b"),
        std::string("../../x"), std::string("a/b"), std::string("a\n"), std::string("ä"), std::string(65, 'x'),
        std::string(300, 'x'), std::string("a\0b", 3), std::string(".")})
    EXPECT_FALSE(Name::parse("team", text)) << text;
}

TEST(Name, ErrorIsPrintable) {
  const auto name = Name::parse("member", "a\n\x1b[31m\xff");
  ASSERT_FALSE(name);
  EXPECT_EQ(name.error().what, "'a\\n\\x1b[31m\\xff' is not a valid member name");
  EXPECT_LT(Name::parse("team", std::string(100'000, 'x')).error().what.size(), 200U);
}

}  // namespace
}  // namespace teamster
