#include "project/markdown.h"

#include <gtest/gtest.h>

namespace teamster::engine {
namespace {

using Lines = std::vector<std::string>;

TEST(Markdown, FindsWhatIsUnderAHeading) {
  const char* text =
      "# Spec\n\nDependencies\n\n## dependencies: ##\n- 01\n### More\n- 02\n## Other\n- 03\n## Dependencies\n- 04\n";
  EXPECT_EQ(section_of(text, "Dependencies"), (Lines{"- 01", "### More", "- 02"}));
  EXPECT_EQ(section_of(text, "Other"), Lines{"- 03"});
  EXPECT_EQ(section_of(text, "None such"), std::nullopt);
  EXPECT_EQ(section_of("", "Other"), std::nullopt);
  EXPECT_EQ(section_of("## Other", "Other"), Lines{});
}

TEST(Markdown, HeadingsMayHaveNumbers) {
  EXPECT_EQ(section_of("## 4. Other\n- 01\n### 4.1 More\n- 02\n## 5) Else\n", "Other"),
            (Lines{"- 01", "### 4.1 More", "- 02"}));
  EXPECT_EQ(section_of("# 3rd other\n", "other"), std::nullopt);
  EXPECT_EQ(section_of("# 12\n- 01\n", "12"), Lines{"- 01"}) << "a number may be all there is";
}

TEST(Markdown, CodeAndHashesAreNoHeadings) {
  EXPECT_EQ(section_of("```\n## Other\n- 01\n```\n## Other\n- 02\n", "Other"), Lines{"- 02"});
  EXPECT_EQ(section_of("##Other\n#######  Other\n", "Other"), std::nullopt);
  EXPECT_EQ(section_of("## Other\n#1 is not a heading\n", "Other"), Lines{"#1 is not a heading"});
}

TEST(Markdown, ReadsATable) {
  using Table = std::vector<Lines>;
  EXPECT_EQ(table_of({"text", "| skill | specs |", "|---|:-:|", "| a\\|b | 01, 02 |", "| short |", "", "| not | it |"}),
            (Table{{"skill", "specs"}, {"a|b", "01, 02"}, {"short", ""}}));
  EXPECT_EQ(table_of({"| skill | specs |"}), Table{}) << "without its rule it is none";
  EXPECT_EQ(table_of({"| skill | specs |", "| a | b |"}), Table{});
  EXPECT_EQ(table_of({}), Table{});
}

}  // namespace
}  // namespace teamster::engine
