#include "cli/text/printable.h"

#include <gtest/gtest.h>

namespace teamster::cli {
namespace {

TEST(PrintableTest, OrdinaryTextStaysAsItIs) {
  EXPECT_EQ(printable_line("Grüße, 世界 🙂 \\ '"), "Grüße, 世界 🙂 \\ '");
}

TEST(PrintableTest, NothingATerminalActsOnSurvives) {
  EXPECT_EQ(printable_line("\x1b]0;owned\x07"), "\\x1b]0;owned\\x07");
  EXPECT_EQ(printable_line("a\nb\tc\rd\x7f"), "a\\nb\\tc\\x0dd\\x7f");
  EXPECT_EQ(printable_line("\xc2\x9b"
                           "31m"),
            "\\u009b31m");  // CSI as one C1 character
  EXPECT_EQ(printable_line("\xe2\x80\xae"
                           "txt"),
            "\\u202etxt");  // right-to-left override
  EXPECT_EQ(printable_line(std::string_view("a\0b", 3)), "a\\x00b");
}

TEST(PrintableTest, BrokenUtf8IsShownAsBytes) {
  EXPECT_EQ(printable_line("a\xff\x9b"
                           "b\xc3"),
            "a\\xff\\x9bb\\xc3");
}

TEST(PrintableTest, BlockIndentsEachLineAndKeepsTabs) {
  EXPECT_EQ(printable_block("a\tb\n\nc", "  "), "  a\tb\n  \n  c\n");
  EXPECT_EQ(printable_block("a\n", "  "), "  a\n");
  EXPECT_EQ(printable_block("", "  "), "");
  EXPECT_EQ(printable_block("x\r\x1b[2J", "> "), "> x\\x0d\\x1b[2J\n");
}

TEST(PrintableTest, ColumnsKnowWideAndCombiningCharacters) {
  EXPECT_EQ(columns_of("abc"), 3U);
  EXPECT_EQ(columns_of("世界"), 4U);
  EXPECT_EQ(columns_of("e\xcc\x81"), 1U);
}

TEST(PrintableTest, CutsBetweenCharacters) {
  EXPECT_EQ(cut_to_columns("abcdef", 6), "abcdef");
  EXPECT_EQ(cut_to_columns("abcdef", 4), "abc…");
  EXPECT_EQ(cut_to_columns("世界世界", 5), "世界…");
}

TEST(PrintableTest, ANotesFurtherLinesAreNotTakenForOurs) {
  EXPECT_EQ(printable_note("a\n12:00:00 done\n", "    "), "a\n    12:00:00 done\n");
  EXPECT_EQ(printable_note("a", "    "), "a\n");
}

TEST(PrintableTest, LinesThatAreTooWideAreBrokenBetweenWords) {
  EXPECT_EQ(fitted("  one two three\nfour", 9, 2), "  one two\n    three\nfour");
  EXPECT_EQ(fitted("one two", 0, 2), "one two") << "of unknown width";
  EXPECT_EQ(fitted("a  b  overlongword c\n", 8, 0), "a  b\noverlongword\nc\n");
  EXPECT_EQ(fitted("a  b\n\n", 8, 0), "a  b\n\n") << "what fits is left alone";
  EXPECT_EQ(fitted("\x1b[31mred\x1b[0m word", 8, 0), "\x1b[31mred\x1b[0m word") << "colour has no width";
  EXPECT_EQ(fitted("世界 世界", 5, 0), "世界\n世界");
}

TEST(PrintableTest, Wraps) {
  EXPECT_EQ(wrapped("one two three", 9, "  "), "  one two\n  three");
  EXPECT_EQ(wrapped("overlongword x", 6, ""), "overlongword\nx");
}

}  // namespace
}  // namespace teamster::cli
