#include "project/checklist.h"

#include <gtest/gtest.h>

namespace teamster::engine {
namespace {

constexpr const char* kList = R"(# Tasks
- [x] make the table
- [ ] [P] write the reader
  - [ ] a detail of it
- [ ] [P] write the writer
- [ ] join them
- [ ] [P] polish
no item
)";

TEST(Checklist, ReadsBoxesAndMarks) {
  const auto items = read_checklist(kList, "[P]");
  ASSERT_EQ(items.size(), 5U);
  EXPECT_TRUE(items[0].is_checked);
  EXPECT_EQ(items[1].text, "write the reader");
  EXPECT_TRUE(items[1].is_marked);
  EXPECT_EQ(items[3].number, 4);
  EXPECT_FALSE(items[3].is_marked);
}

TEST(Checklist, TakesWhatCanBeDoneTogether) {
  const auto items = next_items(kList, "[P]");
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].text, "write the reader");
  EXPECT_EQ(items[1].text, "write the writer");
}

TEST(Checklist, TakesOneWithoutAMark) {
  EXPECT_EQ(next_items("- [ ] a\n- [ ] b\n", "[P]").size(), 1U);
  EXPECT_EQ(next_items("- [ ] a\n- [ ] [P] b\n", "[P]").size(), 1U);
  EXPECT_EQ(next_items("- [ ] [P] a\n- [x] b\n- [ ] [P] c\n", "[P]").size(), 1U);
}

TEST(Checklist, HasNothingInOtherTexts) {
  for (const char* text : {"", "\n\n", "- [", "- []", "- [y] no", "-[ ] no", "- [x] done"})
    EXPECT_TRUE(next_items(text, "[P]").empty()) << text;
}

}  // namespace
}  // namespace teamster::engine
