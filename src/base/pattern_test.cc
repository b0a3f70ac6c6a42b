#include "base/pattern.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "base/limits.h"

namespace teamster {
namespace {

Pattern pattern(std::string_view expression) {
  auto compiled = Pattern::compile(expression);
  EXPECT_TRUE(compiled) << expression << ": " << (compiled ? "" : compiled.error().text());
  return compiled ? *compiled : *Pattern::compile("");
}
bool search(std::string_view expression, std::string_view text) { return pattern(expression).search(text); }
bool whole(std::string_view expression, std::string_view text) { return pattern(expression).matches_whole(text); }
std::string group(std::string_view expression, std::string_view text) {
  return pattern(expression).first_group(text).value_or("(none)");
}
std::string refusal(std::string_view expression) {
  const auto compiled = Pattern::compile(expression);
  return compiled ? "" : compiled.error().text();
}

TEST(Pattern, FindsTextsAnywhereOrWhole) {
  EXPECT_TRUE(search("", ""));
  EXPECT_TRUE(search("", "abc"));
  EXPECT_TRUE(search("b", "abc"));
  EXPECT_FALSE(search("d", "abc"));
  EXPECT_FALSE(whole("b", "abc"));
  EXPECT_TRUE(whole("abc", "abc"));
  EXPECT_TRUE(whole("a|abc", "abc")) << "the way it prefers is not the only one";
  EXPECT_FALSE(whole("", "a"));
  EXPECT_TRUE(search("^b", "b"));
  EXPECT_FALSE(search("^b", "ab"));
  EXPECT_FALSE(search("^b", "a\nb")) << "a line is not the text";
  EXPECT_TRUE(search("b$", "ab"));
  EXPECT_FALSE(search("b$", "b\n"));
  EXPECT_TRUE(search("x|^a|c$", "bc"));
}

TEST(Pattern, Repeats) {
  for (const char* text : {"", "a", "aaa"}) {
    EXPECT_EQ(whole("a*", text), true);
    EXPECT_EQ(whole("a+", text), *text != '\0');
    EXPECT_EQ(whole("a?", text), std::string_view(text).size() < 2);
    EXPECT_EQ(whole("a{3}", text), std::string_view(text).size() == 3);
    EXPECT_EQ(whole("a{1,2}", text), std::string_view(text).size() == 1);
    EXPECT_EQ(whole("a{1,}?", text), *text != '\0');
    EXPECT_EQ(whole("a{0}", text), *text == '\0');
  }
  EXPECT_TRUE(whole("(?:ab|c){2,3}", "cab"));
  EXPECT_FALSE(whole("(?:ab|c){2,3}", "cabcc"));
  EXPECT_TRUE(whole("(a*)*b", "aab"));
  EXPECT_TRUE(whole("(a*)+", ""));
  EXPECT_TRUE(whole("(|a)+", "aaa"));
  EXPECT_TRUE(whole("(?:){1000}", "")) << "nothing, however often";
}

// RE2 repeats a thing a thousand times at most.
TEST(Pattern, RepeatsCharactersMoreOftenThanGroups) {
  const std::string a(2500, 'a');
  EXPECT_TRUE(whole("a{2500}", a));
  EXPECT_FALSE(whole("a{2501}", a));
  EXPECT_TRUE(whole(".{1,4000}", a));
  EXPECT_FALSE(whole("[a-z]{1,2499}", a));
  EXPECT_TRUE(whole("a{1500,}", a));
  EXPECT_FALSE(whole("a{2501,}", a));
  EXPECT_EQ(group("(a{1,2000})", a).size(), 2000U) << "greedy";
  EXPECT_EQ(group("(a{1200,2000}?)", a).size(), 1200U) << "lazy";
  EXPECT_TRUE(whole("(?:a){1000}", a.substr(0, 1000)));
  EXPECT_NE(refusal("(?:a){1001}").find("a group is repeated more than 1000 times"), std::string::npos);
  EXPECT_NE(refusal("(?:a{100}){11}").find("repetitions in each other"), std::string::npos);
}

TEST(Pattern, KnowsSets) {
  EXPECT_TRUE(whole("[a-c-]+", "a-c"));
  EXPECT_FALSE(search("[^a-c]", "abc"));
  EXPECT_TRUE(whole("[\\d\\-x]+", "1-x"));
  EXPECT_TRUE(whole("[\\w.+-]+@[\\w-]+\\.[a-z]{2,}", "a.b+c@ex-ample.org"));
  EXPECT_TRUE(whole("\\d\\D\\w\\W\\s\\S", "1a_-\xC2\xA0!"));
  EXPECT_TRUE(whole("[^]", "\n"));
  EXPECT_FALSE(search("[]", "abc"));
  EXPECT_FALSE(search(".", "\n\r\xE2\x80\xA8"));
  EXPECT_TRUE(whole("[\\b]", "\b"));
  EXPECT_TRUE(whole("[\\S\\s]*", "a \n"));
  EXPECT_TRUE(whole("]}{", "]}{")) << "brackets that cannot be meant";
  EXPECT_TRUE(whole("{a}{,2}", "{a}{,2}"));
  EXPECT_TRUE(whole("[[:alpha:]]", ":]")) << "RE2 would know a class";
  EXPECT_TRUE(whole("[\\s-x]+", "-x\xE3\x80\x80"));
}

TEST(Pattern, ReadsCharactersNotBytes) {
  EXPECT_TRUE(whole("..", "äö"));
  EXPECT_TRUE(whole("[ä-ü]{2}", "äö"));
  EXPECT_TRUE(whole(".", "😀"));
  EXPECT_TRUE(whole("\\u00e4\\ud83d\\ude00\\u{1F600}\\x41\\t\\cJ\\0", std::string_view("ä😀😀A\t\n\0", 14)));
  EXPECT_TRUE(whole("a.c",
                    "a\xFF"
                    "c"))
      << "a byte that is no text is one character";
  EXPECT_EQ(group("a(.)c",
                  "a\xFF"
                  "c"),
            "\xEF\xBF\xBD");
  EXPECT_FALSE(search("\\ud83d", "😀")) << "half a character is none";
  EXPECT_FALSE(search("\\w", "ä"));
}

TEST(Pattern, FindsBordersOfWords) {
  EXPECT_TRUE(search("\\bcat\\b", "a cat!"));
  EXPECT_FALSE(search("\\bcat\\b", "concat"));
  EXPECT_TRUE(search("\\Bcat", "concat"));
  EXPECT_FALSE(search("\\b", ""));
  EXPECT_TRUE(search("\\B", ""));
  EXPECT_FALSE(search("\\B", "aäb")) << "inside of a character there is no place";
  EXPECT_TRUE(search("\\B", "aäöb"));
  EXPECT_EQ(group("(\\B.)", "aä öb"), " ");
}

TEST(Pattern, TellsItsFirstGroup) {
  EXPECT_EQ(group("v(\\d+)\\.(\\d+)", "is v12.34"), "12");
  EXPECT_EQ(group("(?<major>\\d+)\\.", "1.2"), "1");
  EXPECT_EQ(group("(?:x|(y))z", "xz"), "(none)");
  EXPECT_EQ(group("(a)", "b"), "(none)");
  EXPECT_EQ(group("a", "a"), "(none)");
  EXPECT_EQ(group("a(.*)c", "abcbc"), "bcb") << "greedy";
  EXPECT_EQ(group("a(.*?)c", "abcbc"), "b") << "lazy";
  EXPECT_EQ(group("(a|ab)(c|bcd)?", "abcd"), "a") << "the first alternative wins";
  EXPECT_EQ(group("(b+)", "abbab"), "bb") << "the leftmost wins";
  EXPECT_EQ(group("(?:(a)|b)+", "aab"), "a") << "the last that took part";
  EXPECT_EQ(group("x()y", "xy"), "");
  EXPECT_EQ(group("(ä)", "aä"), "ä");
}

TEST(Pattern, RefusesWhatItCannotMatchAndNamesIt) {
  for (const char* around : {"(?=a)", "a(?!b)", "(?<=a)b", "(?<!a)b"})
    EXPECT_NE(refusal(around).find("lookaround"), std::string::npos) << around;
  for (const char* reference : {"(a)\\1", "(?<x>a)\\k<x>", "[\\1]"})
    EXPECT_NE(refusal(reference).find("back-reference"), std::string::npos) << reference;
  EXPECT_NE(refusal("\\p{L}").find("Unicode property"), std::string::npos);
  EXPECT_NE(refusal("\\Aa\\Z").find("\\A is not known"), std::string::npos) << refusal("\\Aa\\Z");
  EXPECT_NE(refusal("a**").find("nothing to repeat"), std::string::npos);
  for (const char* broken :
       {"(",    ")",     "a)",      "(a",    "[",           "[a",           "[z-a]",  "[a-\\d]", "\\",   "*",
        "a|*",  "+a",    "a{2}{3}", "a???",  "^*",          "\\b+",         "a{3,2}", "(?i)a",   "(?<n", "(?",
        "\\x4", "\\xg0", "\\u12",   "\\u{}", "\\u{110000}", "\\u{1234567}", "\\c1",   "\\01",    "[\\"}) {
    EXPECT_NE(refusal(broken).find("not a regular expression"), std::string::npos) << broken;
  }
  EXPECT_NE(refusal("F" + std::string(100, '*')), "");
}

TEST(Pattern, IsBounded) {
  EXPECT_NE(refusal(std::string(limits::kPatternMaxBytes + 1, 'a')).find("bytes"), std::string::npos);
  EXPECT_EQ(refusal(std::string(limits::kPatternMaxBytes, 'a')), "");
  EXPECT_NE(refusal("((a{100}){100}){100}").find("longer than 8192 characters"), std::string::npos);
  EXPECT_NE(refusal("a{99999999999999999999}").find("longer than 8192 characters"), std::string::npos);
  std::string alternatives = "a{4000}";
  for (int i = 0; i < 100; ++i) alternatives += "|a{4000}";
  EXPECT_NE(refusal(alternatives).find("longer than"), std::string::npos);
  std::string row;
  for (int i = 0; i < 100; ++i) row += "a{4000}";
  EXPECT_NE(refusal(row).find("longer than"), std::string::npos);
  EXPECT_EQ(refusal("a{8192}"), "");
  EXPECT_NE(refusal("\\S{8192}").find("bytes of memory"), std::string::npos);
  const std::size_t deep = limits::kPatternMaxBytes / 2;
  EXPECT_EQ(refusal(std::string(deep, '(') + std::string(deep, ')')), "");
}

// Backtracking would take longer than the universe has, and a stack frame for each byte.
TEST(Pattern, TakesTimeByTheLengthOfTheText) {
  const std::string many(50'000, 'a');
  EXPECT_FALSE(search("^(a+)+$", many + "!"));
  EXPECT_FALSE(search("(a|aa)+$", many + "!"));
  EXPECT_TRUE(whole("(a|b)*", many));
  EXPECT_FALSE(whole("(a?){50}a{50}", many));
  EXPECT_TRUE(whole("(a?){50}a{50}", std::string(50, 'a')));
  EXPECT_EQ(group("((a*)*)*b", many + "b"), many);
  std::string mixed;  // its states are too many to be kept
  for (std::uint32_t i = 0, random = 1; i < 50'000; ++i, random = random * 1103515245U + 12345U)
    mixed += "ab"[(random >> 16U) & 1U];
  EXPECT_FALSE(search("[ab]*a[ab]{900}c", mixed));
}

}  // namespace
}  // namespace teamster
