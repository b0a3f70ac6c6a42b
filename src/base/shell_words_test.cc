#include "base/shell_words.h"

#include <gtest/gtest.h>

namespace teamster {
namespace {

using WordList = std::vector<std::string>;

TEST(ShellWords, AreSplitAsAShellDoes) {
  EXPECT_EQ(*split_words("wc -l"), (WordList{"wc", "-l"}));
  EXPECT_EQ(*split_words("  a\t b\n"), (WordList{"a", "b"}));
  EXPECT_EQ(*split_words(R"(sh -c 'cat; echo "x"' "" a\ b "c\"d" 'e\')"),
            (WordList{"sh", "-c", "cat; echo \"x\"", "", "a b", "c\"d", "e\\"}));
  EXPECT_EQ(*split_words(""), WordList{});
  EXPECT_EQ(*split_words("$HOME/*"), WordList{"$HOME/*"}) << "nothing is filled in";
}

TEST(ShellWords, AnOpenQuoteIsNamed) {
  const auto open = split_words("sh -c 'cat");
  ASSERT_FALSE(open);
  EXPECT_NE(open.error().what.find("a ' is not closed"), std::string::npos) << open.error().what;
}

TEST(ShellWords, ATextBecomesOneWord) {
  for (const char* text : {"", "/tmp/a-b", "a b", "it's", "$(rm -rf /)", "a\\b", "ü"})
    EXPECT_EQ(*split_words(as_shell_word(text)), WordList{text}) << as_shell_word(text);
  EXPECT_EQ(as_shell_word("/tmp/a-b"), "/tmp/a-b");
  EXPECT_EQ(as_shell_word("a b"), "'a b'");
}

}  // namespace
}  // namespace teamster
