#include "store/wal_file.h"

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "env/sim/sim_world.h"
#include "store/database.h"

namespace teamster::store {
namespace {

// A commit whose sync fails, read by the next process, then a power cut.
bool survives(std::uint64_t seed, bool settled) {
  env::sim::World world(seed);
  const auto setup = "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;";
  auto& first = world.start("first");
  {
    auto database = *Database::open("/s.db", first.disk_vfs());
    EXPECT_TRUE(database.execute(setup));
    EXPECT_TRUE(database.execute("CREATE TABLE t(a); INSERT INTO t VALUES(1);"));
    world.disk().set_fault([](env::sim::DiskOperation operation, std::string_view) {
      return operation == env::sim::DiskOperation::sync ? SQLITE_IOERR_FSYNC : 0;
    });
    EXPECT_FALSE(database.execute("INSERT INTO t VALUES(2)"));
    world.kill(first);
  }
  world.disk().set_fault(nullptr);
  const auto count = [&](const std::string& vfs) {
    auto database = *Database::open("/s.db", vfs);
    EXPECT_TRUE(database.execute(setup));
    const auto rows = *database.integer("SELECT count(*) FROM t");
    return rows;
  };
  auto& second = world.start("second");
  if (settled) {
    EXPECT_TRUE(settle_wal("/s.db", second.disk_vfs()));
  }
  std::int64_t seen = 0;
  {
    auto database = *Database::open("/s.db", second.disk_vfs());
    EXPECT_TRUE(database.execute(setup));
    seen = *database.integer("SELECT count(*) FROM t");
    EXPECT_TRUE(database.execute("INSERT INTO t VALUES(3)"));
    world.power_cut();
  }
  return count(world.start("third").disk_vfs()) == seen + 1;
}

TEST(WalFile, WhatWasReadAfterAFailedSyncSurvivesAPowerCut) {
  int lost_without = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    EXPECT_TRUE(survives(seed, true)) << "seed " << seed;
    lost_without += survives(seed, false) ? 0 : 1;
  }
  EXPECT_GT(lost_without, 0) << "without settling nothing is lost: this test proves nothing";
}

// On the real file system: its layer takes fewer bytes at once than the simulated one.
TEST(WalFile, RewritesALargeLogOfARealFile) {
  const std::string file = testing::TempDir() + "/wal-file-" + std::to_string(::getpid());
  const std::string wal = file + "-wal";
  std::ofstream(file) << "";
  std::string bytes(1'000'003, 'x');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7);
  std::ofstream(wal, std::ios::binary) << bytes;
  const auto settled = settle_wal(file, "");
  EXPECT_TRUE(settled) << settled.error().what;
  std::stringstream after;
  after << std::ifstream(wal, std::ios::binary).rdbuf();
  EXPECT_EQ(after.str(), bytes);
  std::remove(wal.c_str());
  std::remove(file.c_str());
}

TEST(WalFile, AnExtendedLogIsRecoveredAsBefore) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    env::sim::World world(seed);
    const auto setup = "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;";
    auto& first = world.start("first");
    {
      auto database = *Database::open("/s.db", first.disk_vfs());
      ASSERT_TRUE(database.execute(setup));
      ASSERT_TRUE(database.execute("CREATE TABLE t(a); INSERT INTO t VALUES(1);"));
      ASSERT_TRUE(extend_wal("/s.db", first.disk_vfs(), 500'000));
      EXPECT_GE(world.disk().bytes("/s.db-wal").size(), 500'000U);
      ASSERT_TRUE(database.execute("INSERT INTO t VALUES(2)"));
      world.power_cut();
    }
    auto database = *Database::open("/s.db", world.start("second").disk_vfs());
    ASSERT_TRUE(database.execute(setup));
    EXPECT_EQ(*database.integer("SELECT count(*) FROM t"), 2);
  }
}

TEST(WalFile, NothingToDoWithoutALog) {
  env::sim::World world(1);
  EXPECT_TRUE(settle_wal("/none.db", world.start("a").disk_vfs()));
}

TEST(WalFile, SaysWhenTheDiskIsStillBroken) {
  env::sim::World world(1);
  auto& host = world.start("a");
  world.disk().replace("/s.db", "");
  world.disk().replace("/s.db-wal", "some bytes");
  world.disk().set_fault([](env::sim::DiskOperation operation, std::string_view) {
    return operation == env::sim::DiskOperation::sync ? SQLITE_IOERR_FSYNC : 0;
  });
  EXPECT_EQ(settle_wal("/s.db", host.disk_vfs()).error().code, Code::unavailable);
  world.disk().set_fault(nullptr);
}

}  // namespace
}  // namespace teamster::store
