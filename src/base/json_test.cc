#include "base/json.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace teamster {
namespace {

TEST(Json, ParsesWithinLimits) {
  EXPECT_EQ((*parse_json(R"({"a":[1,2]})"))["a"][1], 2);
  EXPECT_TRUE(parse_json(std::string(64, '[') + std::string(64, ']')));
}

TEST(Json, RefusesDepthBeforeParsing) {
  const auto deep = parse_json(std::string(100'000, '['));
  ASSERT_FALSE(deep);
  EXPECT_EQ(deep.error().what, "JSON is nested deeper than 64 levels at byte 64");
  // Brackets inside strings are text.
  EXPECT_TRUE(parse_json("\"" + std::string(1000, '[') + "\\\"" + std::string(1000, '{') + "\""));
}

TEST(Json, RefusesSizeAndGarbage) {
  EXPECT_FALSE(parse_json("[1,2,3]", {.max_bytes = 3}));
  for (const char* text : {"", "{", "[1,]", "nul", "{\"a\":1}x", "\"\xff\"", "1e999999", "\"\\ud800\""})
    EXPECT_FALSE(parse_json(text)) << text;
}

TEST(Json, DumpsBrokenTextWithoutThrowing) { EXPECT_EQ(dump_json(Json("a\xff")), "\"a\xEF\xBF\xBD\""); }

TEST(Json, FieldsNameWhatIsWrong) {
  const Json object = *parse_json(R"({"s":"x","n":3,"big":18446744073709551615,"f":1.5,"b":true,"null":null})");
  EXPECT_EQ(*string_field(object, "s"), "x");
  EXPECT_EQ(*integer_field(object, "n"), 3);
  EXPECT_TRUE(*flag_field(object, "b"));
  EXPECT_FALSE(*flag_field(object, "absent"));
  EXPECT_FALSE(*optional_string_field(object, "null"));
  EXPECT_EQ(string_field(object, "n").error().what, "field 'n' is a whole number, expected a string");
  EXPECT_EQ(string_field(object, "none").error().what, "field 'none' is missing, expected a string");
  EXPECT_FALSE(integer_field(object, "big"));
  EXPECT_FALSE(integer_field(object, "f"));
  EXPECT_FALSE(flag_field(object, "s"));
}

}  // namespace
}  // namespace teamster
