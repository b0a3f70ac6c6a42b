#include "cli/text/table.h"

#include <gtest/gtest.h>

#include "cli/text/printable.h"

namespace teamster::cli {
namespace {

TEST(TableTest, AlignsColumns) {
  Table table({"ID", "WHO", "WHAT"});
  table.add({"1", "世", "a"});
  table.add({"22", "lead", ""});
  EXPECT_EQ(table.text(), "ID  WHO   WHAT\n1   世    a\n22  lead\n");
}

TEST(TableTest, FitsEightyColumns) {
  Table table({"ID", "SUBJECT"});
  table.add({"1", std::string(200, 'x')});
  for (const auto& line : table.lines()) EXPECT_LE(columns_of(line), 80U);
}

}  // namespace
}  // namespace teamster::cli
