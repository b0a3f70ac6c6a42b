#include "cli/text/answer_fields.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace teamster::cli {
namespace {

TEST(AnswerTest, WhatIsMissingOrOfAnotherTypeShowsAsNothing) {
  const Json answer{{"text", 5}, {"number", "x"}, {"list", {1, "b\x1b"}}, {"null", nullptr}};
  EXPECT_EQ(text_in(answer, "text"), "5");
  EXPECT_EQ(text_in(answer, "null"), "");
  EXPECT_EQ(text_in(answer, "absent"), "");
  EXPECT_EQ(text_in(Json::array(), "absent"), "");
  EXPECT_EQ(number_in(answer, "number"), 0);
  EXPECT_FALSE(flag_in(answer, "text"));
  EXPECT_TRUE(list_in(answer, "text").empty());
  EXPECT_TRUE(object_in(answer, "list").empty());
  EXPECT_EQ(joined_in(answer, "list"), "1, b\\x1b");
  EXPECT_EQ(joined_in(answer, "absent", "-"), "-");
}

TEST(AnswerTest, TimesGoBothWays) {
  const WallTime time{1'800'000'000'123};
  EXPECT_EQ(parse_iso8601(to_iso8601(time)), time);
  EXPECT_EQ(parse_iso8601("yesterday"), std::nullopt);
  EXPECT_EQ(parse_iso8601("2027-01-15 07:59:00.123Z"), std::nullopt);
}

TEST(AnswerTest, AgeIsNeverNegative) {
  const Json answer{{"at", to_iso8601(WallTime{10'000})}};
  EXPECT_EQ(age_in(answer, "at", WallTime{15'000}), "5 s");
  EXPECT_EQ(age_in(answer, "at", WallTime{0}), "0 s");
  EXPECT_EQ(age_in(answer, "absent", WallTime{0}), "?");
}

}  // namespace
}  // namespace teamster::cli
