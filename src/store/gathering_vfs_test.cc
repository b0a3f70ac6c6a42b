#include "store/gathering_vfs.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "env/sim/sim_world.h"
#include "store/database.h"

namespace teamster::store {
namespace {

using env::sim::DiskOperation;

class GatheringVfsTest : public testing::Test {
 protected:
  Database open() {
    auto database = *Database::open("/s.db", host_.disk_vfs());
    EXPECT_TRUE(database.execute("PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"));
    return database;
  }
  // Counts writes to the log, and fails them if told to.
  void watch_writes() {
    world_.disk().set_fault([this](DiskOperation operation, std::string_view file) -> int {
      if (operation != DiskOperation::write || !file.ends_with("-wal")) return SQLITE_OK;
      ++writes_;
      return fails_ ? SQLITE_FULL : SQLITE_OK;
    });
  }
  static std::string rows(int count, int bytes) {
    return "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " + std::to_string(count) +
           ") INSERT INTO t SELECT i, zeroblob(" + std::to_string(bytes) + ") FROM n";
  }

  env::sim::World world_{5};
  env::sim::Host& host_ = world_.start("a");
  int writes_ = 0;
  bool fails_ = false;
};

TEST_F(GatheringVfsTest, ACommitIsOneWrite) {
  auto database = open();
  ASSERT_TRUE(database.execute("CREATE TABLE t(a, b); CREATE INDEX i ON t(a); INSERT INTO t VALUES(0, 0);"));
  watch_writes();
  ASSERT_TRUE(database.execute(rows(20, 600)));  // several pages of table and index
  EXPECT_EQ(writes_, 1);
  ASSERT_TRUE(database.execute("INSERT INTO t VALUES(1, 2)"));
  EXPECT_EQ(writes_, 2);
  world_.disk().set_fault(nullptr);
}

TEST_F(GatheringVfsTest, WhatIsCommittedIsThereWhenTheProcessIsKilled) {
  {
    auto database = open();
    ASSERT_TRUE(database.execute("CREATE TABLE t(a, b)"));
    ASSERT_TRUE(database.execute(rows(50, 600)));
    ASSERT_TRUE(database.execute("BEGIN"));
    ASSERT_TRUE(database.execute("DELETE FROM t"));
    world_.kill(host_);
  }
  auto database = *Database::open("/s.db", world_.start("b").disk_vfs());
  ASSERT_TRUE(database.execute("PRAGMA locking_mode=EXCLUSIVE"));
  EXPECT_EQ(*database.integer("SELECT count(*) FROM t"), 50);
}

// More than the cache holds goes to the log before the commit, is read back from there and
// written over; after a rollback the next transaction takes its place.
TEST_F(GatheringVfsTest, KeepsTransactionsThatAreLargerThanTheCache) {
  {
    auto database = open();
    ASSERT_TRUE(database.execute("PRAGMA cache_size=10; CREATE TABLE t(a, b); CREATE INDEX i ON t(a, b);"));
    watch_writes();
    ASSERT_TRUE(database.execute("BEGIN"));
    ASSERT_TRUE(database.execute(rows(500, 900)));
    EXPECT_GT(writes_, 1);
    ASSERT_TRUE(database.execute("UPDATE t SET b = zeroblob(700) WHERE a % 3 = 0"));
    EXPECT_EQ(*database.integer("SELECT sum(length(b)) FROM t"), 166 * 700 + 334 * 900);
    ASSERT_TRUE(database.execute("ROLLBACK"));
    ASSERT_TRUE(database.execute("BEGIN"));
    ASSERT_TRUE(database.execute(rows(300, 500)));
    ASSERT_TRUE(database.execute("UPDATE t SET b = zeroblob(400) WHERE a % 2 = 0"));
    ASSERT_TRUE(database.execute("COMMIT"));
    ASSERT_TRUE(database.execute("INSERT INTO t VALUES(0, zeroblob(1))"));
    world_.disk().set_fault(nullptr);
    world_.kill(host_);
  }
  auto database = *Database::open("/s.db", world_.start("b").disk_vfs());
  ASSERT_TRUE(database.execute("PRAGMA locking_mode=EXCLUSIVE"));
  EXPECT_EQ(*database.integer("SELECT sum(length(b)) FROM t"), 150 * 500 + 150 * 400 + 1);
  EXPECT_EQ(*database.text("PRAGMA integrity_check"), "ok");
}

TEST_F(GatheringVfsTest, AFailedWriteFailsTheCommitAndLeavesNothing) {
  auto database = open();
  ASSERT_TRUE(database.execute("CREATE TABLE t(a, b); INSERT INTO t VALUES(1, 1);"));
  watch_writes();
  fails_ = true;
  const auto failed = database.execute(rows(20, 600));
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Code::unavailable);
  fails_ = false;
  EXPECT_EQ(*database.integer("SELECT count(*) FROM t"), 1);
  ASSERT_TRUE(database.execute("INSERT INTO t VALUES(2, 2)"));
  EXPECT_EQ(*database.integer("SELECT count(*) FROM t"), 2);
  EXPECT_EQ(*database.text("PRAGMA integrity_check"), "ok");
  world_.disk().set_fault(nullptr);
}

TEST_F(GatheringVfsTest, NeedsAVfsBelow) { EXPECT_FALSE(GatheringVfs::over("no such vfs")); }

}  // namespace
}  // namespace teamster::store
