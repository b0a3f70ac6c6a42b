#include "env/real/clock.h"

#include <gtest/gtest.h>

#include <fstream>

#include "env/real/temporary_directory_for_test.h"
#include "env/shared_clock.h"

namespace teamster::env::real {
namespace {

using namespace std::chrono_literals;

TEST(Clock, NeverGoesBack) {
  const Clock clock;
  Instant before = clock.now();
  for (int i = 0; i < 1000; ++i) {
    const Instant after = clock.now();
    EXPECT_LE(before, after);
    before = after;
  }
}

TEST(Clock, WallTimeIsAfterThisWasWritten) { EXPECT_GT(Clock().wall_now().unix_ms, 1'735'000'000'000); }

TEST(Clock, ThoseWithOneFileAreAheadTogether) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/clock";
  std::ofstream(path) << new_shared_clock();
  Clock one(path);
  const Clock other(path);
  const Instant before = other.now();
  const auto ahead_ms = [&] { return other.wall_now().unix_ms - Clock().wall_now().unix_ms; };
  EXPECT_LT(ahead_ms(), 60'000);
  one.put_ahead(24h);
  EXPECT_GE(ahead_ms(), 86'400'000 - 60'000);
  EXPECT_LT(other.now() - before, 1h) << "what is measured in a process is not touched";
}

TEST(Clock, OneThatStandsIsMovedByHandAlone) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/clock";
  std::ofstream(path) << new_shared_clock(WallTime{1'000});
  Clock clock(path);
  EXPECT_EQ(clock.wall_now(), WallTime{1'000});
  clock.put_ahead(5s);
  EXPECT_EQ(clock.wall_now(), WallTime{6'000});
}

TEST(Clock, AFileThatIsNoClockChangesNothing) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/clock";
  std::ofstream(path) << "x";
  for (const std::string& file : {path, path + "-missing"}) {
    Clock clock(file);
    clock.put_ahead(24h);
    EXPECT_LT(clock.wall_now().unix_ms - Clock().wall_now().unix_ms, 60'000);
  }
}

}  // namespace
}  // namespace teamster::env::real
