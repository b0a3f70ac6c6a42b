#include "project/insights.h"

#include <gtest/gtest.h>

#include "base/limits.h"
#include "project/markdown.h"

namespace teamster::engine {
namespace {

TEST(Insights, AnEntryStandsUnderItsHeadingOnce) {
  const auto first = with_insight("", "plan-static", "cut\nsmaller");
  EXPECT_NE(first.text.find("\n## plan-static\n- cut smaller\n"), std::string::npos) << first.text;
  EXPECT_TRUE(with_insight(first.text, "plan-static", "cut smaller").is_known);
  const auto second = with_insight(first.text, "all", "run the tests");
  const auto sections = entries_by_heading(second.text);
  EXPECT_EQ(sections.at("plan-static").size(), 1U);
  EXPECT_EQ(sections.at("all"), std::vector<std::string>{"run the tests"});
}

TEST(Insights, WhatHasNoRoomGetsAFileOfItsOwn) {
  std::string text;
  std::size_t number = 0;
  GrownInsights grown;
  do {
    grown = with_insight(text, "plan-static", "entry " + std::to_string(++number));
    text = grown.text;
    ASSERT_LT(number, 1000U);
  } while (grown.topic_file.empty());
  EXPECT_EQ(grown.topic_file, ".teamster/insights/plan-static.md");
  EXPECT_NE(grown.topic_text.find("- entry " + std::to_string(number) + "\n"), std::string::npos);
  EXPECT_EQ(entries_by_heading(text).at("plan-static"),
            std::vector<std::string>{"see .teamster/insights/plan-static.md"});
  EXPECT_GT(number, limits::kInsightsMaxLines / 2);
}

}  // namespace
}  // namespace teamster::engine
