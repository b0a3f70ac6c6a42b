#include "base/character_set.h"

#include <string>

#include <gtest/gtest.h>

namespace teamster {
namespace {

// The printable ASCII characters of the set.
std::string shown(const CharacterSet& set) {
  std::string text;
  for (char c = ' '; c < 127; ++c)
    if (set.contains(static_cast<char32_t>(c))) text += c;
  return text;
}

TEST(CharacterSet, JoinsRangesInAnyOrder) {
  CharacterSet set;
  EXPECT_EQ(shown(set), "");
  set.add('g', 'i');
  set.add('a', 'b');
  set.add('d', 'e');
  EXPECT_EQ(shown(set), "abdeghi");
  set.add('c', 'c');
  EXPECT_EQ(shown(set), "abcdeghi");
  set.add('b', 'h');
  EXPECT_EQ(shown(set), "abcdefghi");
  set.add('0', 'z');
  EXPECT_TRUE(set.contains('Z'));
  EXPECT_FALSE(set.contains('/'));
  EXPECT_FALSE(set.contains('{'));
}

TEST(CharacterSet, HasAComplement) {
  CharacterSet set;
  EXPECT_TRUE(set.complement().contains(0));
  EXPECT_TRUE(set.complement().contains(0x10FFFF));
  EXPECT_FALSE(set.complement().contains(0x110000));
  set.add(0, '~');
  set.add(0x10FFFF, 0x10FFFF);
  EXPECT_EQ(shown(set.complement()), "");
  EXPECT_TRUE(set.complement().contains(0x10FFFE));
  EXPECT_FALSE(set.complement().contains(0x10FFFF));
  EXPECT_EQ(shown(set.complement().complement()), shown(set));
}

TEST(CharacterSet, KnowsThoseWithAName) {
  EXPECT_EQ(shown(CharacterSet::digits()), "0123456789");
  EXPECT_EQ(shown(CharacterSet::word_characters()), "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz");
  EXPECT_EQ(shown(CharacterSet::spaces()), " ");
  for (const char32_t space : {0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0xA0, 0x2003, 0x2028, 0xFEFF})
    EXPECT_TRUE(CharacterSet::spaces().contains(space)) << static_cast<unsigned>(space);
  EXPECT_FALSE(CharacterSet::spaces().contains(0x200B));
}

}  // namespace
}  // namespace teamster
