#include "base/line_reader.h"

#include <vector>

#include <gtest/gtest.h>

namespace teamster {
namespace {

std::vector<std::string> lines_of(LineReader& reader, std::string_view bytes) {
  std::vector<std::string> lines;
  reader.add(bytes);
  while (const auto line = reader.next()) lines.emplace_back(line->is_too_long ? "(too long)" : line->text);
  return lines;
}

using Lines = std::vector<std::string>;

TEST(LineReader, GivesWholeLines) {
  LineReader reader(10);
  EXPECT_EQ(lines_of(reader, "ab"), Lines{});
  EXPECT_EQ(lines_of(reader, "c\nde\r\n\nf"), (Lines{"abc", "de", ""}));
  EXPECT_EQ(lines_of(reader, "\n"), Lines{"f"});
}

TEST(LineReader, DoesNotDependOnHowBytesCome) {
  const std::string stream = "one\ntwo\r\n\nfour-is-long-enough-to-be-refused\nfive\n0123456789\n";
  LineReader whole(10);
  const Lines expected = lines_of(whole, stream);
  EXPECT_EQ(expected, (Lines{"one", "two", "", "(too long)", "five", "0123456789"}));
  for (std::size_t piece = 1; piece < stream.size(); ++piece) {
    LineReader reader(10);
    Lines lines;
    for (std::size_t at = 0; at < stream.size(); at += piece)
      for (auto& line : lines_of(reader, std::string_view(stream).substr(at, piece))) lines.push_back(line);
    EXPECT_EQ(lines, expected) << piece;
  }
}

TEST(LineReader, TellsOnceAndGoesOnWhenALineIsTooLong) {
  LineReader reader(4);
  EXPECT_EQ(lines_of(reader, "12345"), Lines{"(too long)"});
  EXPECT_EQ(lines_of(reader, std::string(100'000, 'x')), Lines{});
  EXPECT_EQ(lines_of(reader, "end\nnext\n"), Lines{"next"});
  EXPECT_EQ(lines_of(reader, "123456\n1234\n"), (Lines{"(too long)", "1234"}));
}

}  // namespace
}  // namespace teamster
