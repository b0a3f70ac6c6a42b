#include "env/sim/sim_disk.h"

#include <sqlite3.h>

#include <algorithm>

#include <gtest/gtest.h>

namespace teamster::env::sim {
namespace {

constexpr const char* kFile = "/home/teamster.db";

class Connection {
 public:
  Connection(SimDisk& disk, HostId host, const std::string& synchronous) {
    code = sqlite3_open_v2(kFile, &connection_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, disk.attach(host).c_str());
    if (code == SQLITE_OK)
      run("PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=20; PRAGMA synchronous=" +
          synchronous);
  }
  ~Connection() { sqlite3_close(connection_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool run(const std::string& sql) {
    code = sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, nullptr);
    return code == SQLITE_OK;
  }
  std::string ask(const std::string& sql) {
    std::string answer;
    const auto take = [](void* into, int, char** values, char**) {
      *static_cast<std::string*>(into) = values[0] != nullptr ? values[0] : "";
      return 0;
    };
    code = sqlite3_exec(connection_, sql.c_str(), take, &answer, nullptr);
    return code == SQLITE_OK ? answer : "error";
  }
  int code = SQLITE_OK;

 private:
  sqlite3* connection_ = nullptr;
};

class Fixture {
 public:
  explicit Fixture(std::uint64_t seed)
      : random(seed), disk(random.fork("disk"), [] { return WallTime{1'767'225'600'000}; }) {}
  SimRandom random;
  SimDisk disk;
};

std::string insert(int number) {
  return "INSERT INTO row VALUES(" + std::to_string(number) + ", '" + std::string(700, 'x') + "')";
}

// Commits until the chosen write or sync, where the power goes; then looks. Returns
// whether everything acknowledged is still there. `kill_only` leaves the power on.
bool acknowledged_survives(std::uint64_t seed, const std::string& synchronous, bool kill_only) {
  Fixture fixture(seed);
  int acknowledged = 0;
  {
    Connection first(fixture.disk, HostId(1), synchronous);
    EXPECT_TRUE(first.run("CREATE TABLE row(number INTEGER, text TEXT)")) << first.code;
    const auto end = [&] {
      if (kill_only)
        fixture.disk.kill(HostId(1));
      else
        fixture.disk.power_cut(fixture.random);
    };
    auto left = static_cast<int>(fixture.random.below(400));
    fixture.disk.set_fault([&](DiskOperation operation, std::string_view) {
      const bool counts = operation == DiskOperation::write || operation == DiskOperation::sync;
      if (counts && left-- == 0) end();
      return left < 0 ? SQLITE_IOERR : SQLITE_OK;
    });
    while (acknowledged < 60 && first.run(insert(acknowledged))) ++acknowledged;
    fixture.disk.set_fault(nullptr);
    if (left >= 0) end();
  }
  Connection second(fixture.disk, HostId(2), synchronous);
  if (second.ask("PRAGMA integrity_check") != "ok") return false;
  const std::string count = second.ask("SELECT count(*) FROM row WHERE number < " + std::to_string(acknowledged));
  return count == std::to_string(acknowledged);
}

TEST(SimDisk, FullySyncedCommitsSurviveAPowerCut) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) EXPECT_TRUE(acknowledged_survives(seed, "FULL", false)) << seed;
}

TEST(SimDisk, WithoutSyncsSomeAreLost) {
  int lost = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) lost += acknowledged_survives(seed, "OFF", false) ? 0 : 1;
  EXPECT_GT(lost, 5);
}

TEST(SimDisk, AKilledProcessLosesNothingWithoutSyncs) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) EXPECT_TRUE(acknowledged_survives(seed, "OFF", true)) << seed;
}

TEST(SimDisk, KilledHostCannotTouchTheDisk) {
  Fixture fixture(1);
  auto first = std::make_unique<Connection>(fixture.disk, HostId(1), "FULL");
  ASSERT_TRUE(first->run("CREATE TABLE row(number INTEGER, text TEXT)"));
  EXPECT_EQ(first->ask("PRAGMA journal_mode"), "wal");
  fixture.disk.kill(HostId(1));
  const auto names = fixture.disk.names();
  EXPECT_TRUE(std::count(names.begin(), names.end(), std::string(kFile) + "-wal"));
  EXPECT_FALSE(first->run(insert(1)));
  Connection second(fixture.disk, HostId(2), "FULL");
  EXPECT_TRUE(second.run(insert(2))) << second.code;
  first.reset();  // would checkpoint and remove the log, were it alive
  EXPECT_TRUE(second.run(insert(3))) << second.code;
  EXPECT_EQ(second.ask("SELECT count(*) FROM row"), "2");
}

TEST(SimDisk, TwoHostsExcludeEachOther) {
  Fixture fixture(1);
  Connection first(fixture.disk, HostId(1), "FULL");
  ASSERT_TRUE(first.run("CREATE TABLE row(number INTEGER, text TEXT)"));
  Connection second(fixture.disk, HostId(2), "FULL");
  EXPECT_EQ(second.code, SQLITE_BUSY);
}

TEST(SimDisk, FaultsComeAsOrdered) {
  Fixture fixture(1);
  Connection connection(fixture.disk, HostId(1), "FULL");
  ASSERT_TRUE(connection.run("CREATE TABLE row(number INTEGER, text TEXT)"));
  fixture.disk.set_fault([](DiskOperation operation, std::string_view) {
    return operation == DiskOperation::write ? SQLITE_FULL : SQLITE_OK;
  });
  EXPECT_FALSE(connection.run(insert(1)));
  EXPECT_EQ(connection.code, SQLITE_FULL);
  fixture.disk.set_fault(nullptr);
  EXPECT_TRUE(connection.run(insert(2)));
  fixture.disk.set_fault([](DiskOperation operation, std::string_view) {
    return operation == DiskOperation::sync ? SQLITE_IOERR_FSYNC : SQLITE_OK;
  });
  EXPECT_FALSE(connection.run(insert(3)));
  fixture.disk.set_fault(nullptr);
}

TEST(SimDisk, SameSeedSameBytes) {
  const auto run = [](std::uint64_t seed) {
    Fixture fixture(seed);
    Connection connection(fixture.disk, HostId(1), "FULL");
    connection.run("CREATE TABLE row(number INTEGER, text TEXT)");
    for (int i = 0; i < 30; ++i) connection.run("INSERT INTO row VALUES(random(), datetime('now'))");
    return fixture.disk.bytes(kFile) + fixture.disk.bytes(std::string(kFile) + "-wal");
  };
  EXPECT_TRUE(run(1) == run(1));
  EXPECT_GT(run(1).size(), 4096U);
}

TEST(SimDisk, DamageCanBeDone) {
  Fixture fixture(1);
  {
    Connection connection(fixture.disk, HostId(1), "FULL");
    connection.run("CREATE TABLE row(number INTEGER, text TEXT)");
  }
  fixture.disk.replace(kFile, "this is not a database, not at all");
  Connection connection(fixture.disk, HostId(2), "FULL");
  EXPECT_FALSE(connection.run(insert(1)));
}

}  // namespace
}  // namespace teamster::env::sim
