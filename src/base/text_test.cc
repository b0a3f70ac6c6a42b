#include "base/text.h"

#include <array>

#include <gtest/gtest.h>

namespace teamster {
namespace {

TEST(Text, FindsInvalidUtf8) {
  EXPECT_FALSE(find_invalid_utf8("plain, ü, €, 😀"));
  EXPECT_EQ(find_invalid_utf8("ab\xff"), 2U);
  EXPECT_EQ(find_invalid_utf8("\xc0\x80"), 0U);          // overlong
  EXPECT_EQ(find_invalid_utf8("\xed\xa0\x80"), 0U);      // surrogate
  EXPECT_EQ(find_invalid_utf8("x\xe2\x82"), 1U);         // cut short
  EXPECT_EQ(find_invalid_utf8("\xf4\x90\x80\x80"), 0U);  // beyond U+10FFFF
}

TEST(Text, ReadsCharacterByCharacter) {
  const std::string_view text = "aü€😀\xff\xe2\x82!";
  std::u32string read;
  for (std::size_t at = 0; at < text.size();) read += next_character(text, at);
  EXPECT_EQ(read, U"aü€😀\uFFFD\uFFFD\uFFFD!");
}

TEST(Text, SuggestsWhatWasMeant) {
  const std::array<std::string, 4> names = {"create", "list", "delete", "status"};
  EXPECT_EQ(closest("crate", names), "create");
  EXPECT_EQ(closest("stat", names), "status");
  EXPECT_EQ(closest("lst", names), "list");
  EXPECT_EQ(closest("lits", names), "list");
  EXPECT_FALSE(closest("frobnicate", names));
  EXPECT_FALSE(closest("", names));
  EXPECT_FALSE(closest(std::string(10'000, 'x'), names));
}

TEST(Text, QuotesWithoutHarm) {
  EXPECT_EQ(quoted("a\tb\x1b", 40), "'a\\x09b\\x1b'");
  EXPECT_EQ(quoted("ü", 40), "'ü'");
  EXPECT_LE(quoted(std::string(1000, 'x'), 20).size(), 26U);
}

TEST(Text, ComparesSecrets) {
  EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
  EXPECT_FALSE(equal_in_constant_time("abc", "abd"));
  EXPECT_FALSE(equal_in_constant_time("abc", "ab"));
}

TEST(Text, Trims) {
  EXPECT_EQ(trimmed("  a b\n"), "a b");
  EXPECT_EQ(trimmed(" \n\t"), "");
}

TEST(BeginningOf, IsCutBetweenCharacters) {
  EXPECT_EQ(beginning_of("short", 5), "short");
  EXPECT_EQ(beginning_of("longer", 3), "lon");
  EXPECT_EQ(beginning_of("x\u00fcy", 2), "x");
  EXPECT_EQ(beginning_of("x\u00fcy", 3), "x\u00fc");
  EXPECT_EQ(beginning_of("\u20ac", 2), "");
  EXPECT_EQ(beginning_of("\x80\x80\x80", 1), "");
  EXPECT_EQ(beginning_of("", 0), "");
}

}  // namespace
}  // namespace teamster
