#include "workflow/format/plain_words.h"

#include <gtest/gtest.h>

namespace teamster::workflow {
namespace {

TEST(PlainWords, AreThoseThatNoShellReadsAnythingInto) {
  for (const char* word : {"", "08", "a-b_c", "src/main.c", "v1.2,x:y@z%+"}) EXPECT_TRUE(is_plain_word(word)) << word;
  for (const char* word : {"a b", "a;b", "$x", "`x`", "a\nb", "'", "\"", "*", "~", "a=b", "#", "\\", "ü", "a&b", "(x)"})
    EXPECT_FALSE(is_plain_word(word)) << word;
}

TEST(PlainWords, PatternsThatMatchNothingElse) {
  for (const char* pattern : {"[0-9]{2}", "[a-z0-9][a-z0-9-]{0,63}", "\\d+", "\\w*", "(a|b)?c", "(?:fix|feat)/[\\w.-]+",
                              "^v[0-9]+\\.[0-9]+$", "[-a-z]+", "a{1,}"})
    EXPECT_TRUE(matches_plain_words_alone(pattern)) << pattern;
  for (const char* pattern :
       {"",        ".*",    "a.b",          "[^;]+", "[a-z ]+", "\\S+",  "\\s",    "\\D",   "[!-~]+",
        "[A-z]+",  "[+-z]", "a b",          "a;b",   "\\$x",    "[\\S]", "(?=a)a", "(?i)a", "\\x3b",
        "\\u003b", "\\n",   "[[:alpha:]]+", "[a",    "\\",      "a{",    "\\1",    "é",     "[é]"})
    EXPECT_FALSE(matches_plain_words_alone(pattern)) << pattern;
}

TEST(PlainWords, WhatAPatternCapturesIsItsFirstGroup) {
  EXPECT_TRUE(captures_plain_words_alone("^Page: *([a-z/.]+) *$"));
  EXPECT_TRUE(captures_plain_words_alone("[(](?:x y)(a(b)c)(.*)"));
  EXPECT_TRUE(captures_plain_words_alone("\\(([0-9]+)\\)"));
  EXPECT_FALSE(captures_plain_words_alone("specs/[0-9]{2}-(.*)\\.md"));
  EXPECT_FALSE(captures_plain_words_alone("(a|.)b"));
  EXPECT_FALSE(captures_plain_words_alone("[0-9]+")) << "it has none";
}

}  // namespace
}  // namespace teamster::workflow
