#include "base/json_reader.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace teamster {
namespace {

// The library reads the same texts; it is the reference.
TEST(JsonReader, ReadsWhatTheLibraryReads) {
  for (const char* text : {"null",
                           " true ",
                           "false",
                           "0",
                           "-0",
                           "-1",
                           "12",
                           "9223372036854775807",
                           "-9223372036854775808",
                           "18446744073709551615",
                           "18446744073709551616",
                           "-9223372036854775809",
                           "1.5",
                           "-0.25e-3",
                           "1E+2",
                           "0.0",
                           "1e-400",
                           R"("")",
                           R"("a\"\\\/\b\f\n\r\t")",
                           R"("\u0041\u00e9\u20ac\ud83d\ude00\u0000")",
                           "\"na\xc3\xafve \xf0\x9f\x98\x80\"",
                           "[]",
                           "[ 1 , [ ] ,{ } ]",
                           "{}",
                           "\n{ \"b\" : 1 ,\t\"a\" : [null] }\r\n",
                           R"({"a":1,"a":2,"b":{"a":3}})"}) {
    const auto ours = JsonReader(text, 64).read();
    ASSERT_TRUE(ours) << text << ": " << ours.error().what;
    const Json theirs = Json::parse(text);
    EXPECT_EQ(*ours, theirs) << text;
    EXPECT_EQ(ours->type(), theirs.type()) << text;
  }
}

TEST(JsonReader, RefusesWhatTheLibraryRefuses) {
  for (const char* text : {"",
                           " ",
                           "nul",
                           "nulll",
                           "True",
                           "+1",
                           "01",
                           "-01",
                           "-",
                           ".5",
                           "1.",
                           "1e",
                           "1e+",
                           "0x1",
                           "1 2",
                           "[1,]",
                           "[,1]",
                           "[1",
                           "]",
                           "{",
                           "{\"a\"}",
                           "{\"a\":}",
                           "{\"a\":1,}",
                           "{a:1}",
                           "{1:1}",
                           "{\"a\":1}x",
                           "\"",
                           "\"\\",
                           "\"\\x\"",
                           "\"\\u12\"",
                           "\"\\u12g4\"",
                           "\"\\u+123\"",
                           "\"\\ud800\"",
                           "\"\\ud800\\u0041\"",
                           "\"\\udc00\"",
                           "\"\n\"",
                           "\"\xff\"",
                           "\"\xc0\x80\"",
                           "\"\xed\xa0\x80\"",
                           "\"\xc3\"",
                           "\"\xf0\x9f\x98\"",
                           "1e999",
                           "'a'",
                           "[1}",
                           "{\"a\":1]",
                           "// x\n1",
                           "NaN",
                           "Infinity"}) {
    EXPECT_FALSE(JsonReader(text, 64).read()) << text;
    EXPECT_FALSE(Json::accept(std::string_view(text))) << text;
  }
}

TEST(JsonReader, SaysWhere) {
  EXPECT_EQ(JsonReader("[1, x]", 64).read().error().what, "not valid JSON at byte 4");
  EXPECT_EQ(JsonReader("\"ab\xff\"", 64).read().error().what, "not valid JSON at byte 3");
  EXPECT_EQ(JsonReader("[1,1e999]", 64).read().error().what, "not valid JSON: the number at byte 3 does not fit");
  EXPECT_EQ(JsonReader("{\"a\":[[]]}", 2).read().error().what, "JSON is nested deeper than 2 levels at byte 6");
}

}  // namespace
}  // namespace teamster
