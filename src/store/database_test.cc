#include "store/database.h"

#include <gtest/gtest.h>

namespace teamster::store {
namespace {

TEST(Database, BindsAndReads) {
  auto database = *Database::open(":memory:", "");
  ASSERT_TRUE(database.execute("CREATE TABLE t(a INTEGER, b TEXT, c)"));
  const std::string with_nul("x\0y", 3);
  ASSERT_TRUE(database.query("INSERT INTO t VALUES(?, ?, ?)").with(-7).with(with_nul).with_null().run());
  ASSERT_TRUE(database.query("INSERT INTO t VALUES(?, ?, 1)").with(8).with(std::string_view()).run());
  auto rows = database.query("SELECT a, b, c FROM t ORDER BY a");
  ASSERT_TRUE(*rows.next());
  EXPECT_EQ(rows.integer(0), -7);
  EXPECT_EQ(rows.text(1), with_nul);
  EXPECT_TRUE(rows.is_null(2));
  ASSERT_TRUE(*rows.next());
  EXPECT_FALSE(rows.is_null(1));  // empty text is not NULL
  EXPECT_FALSE(*rows.next());
}

TEST(Database, ErrorsAreResults) {
  auto database = *Database::open(":memory:", "");
  EXPECT_EQ(database.execute("SELEKT 1").error().code, Code::internal);
  auto broken = database.query("SELECT * FROM nowhere WHERE a = ?");
  EXPECT_EQ(broken.with(1).next().error().code, Code::internal);
  const auto nowhere = Database::open("/nonexistent-directory/x.db", "");
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().code, Code::unavailable);
}

TEST(Database, AStatementInsideItsOwnLoopIsABug) {
  auto database = *Database::open(":memory:", "");
  const char* sql = "SELECT 1";
  EXPECT_EXIT(
      {
        auto outer = database.query(sql);
        auto inner = database.query(sql);
      },
      testing::ExitedWithCode(70), "in_use");
}

}  // namespace
}  // namespace teamster::store
