#include "env/sim/disk_file.h"

#include <gtest/gtest.h>

namespace teamster::env::sim {
namespace {

TEST(DiskFile, WritesAnywhereAndTruncates) {
  DiskFile file;
  file.write(4, "end");
  EXPECT_EQ(file.bytes(), std::string("\0\0\0\0end", 7));
  file.write(0, "head");
  EXPECT_EQ(file.bytes(), "headend");
  file.truncate(4);
  EXPECT_EQ(file.bytes(), "head");
}

TEST(DiskFile, SyncedBytesSurvive) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SimRandom random(seed);
    DiskFile file;
    file.write(0, "sure");
    file.sync();
    file.write(4, "maybe");
    file.power_cut(random);
    EXPECT_EQ(file.bytes().substr(0, 4), "sure");
  }
}

TEST(DiskFile, WritesTearAtSectors) {
  bool was_torn = false;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SimRandom random(seed);
    DiskFile file;
    file.write(0, std::string(2048, 'a'));
    file.sync();
    file.write(0, std::string(2048, 'b'));
    file.power_cut(random);
    const auto& bytes = file.bytes();
    for (std::size_t at = 0; at < 2048; at += 512) EXPECT_EQ(bytes.substr(at, 512), std::string(512, bytes[at]));
    was_torn |= bytes.find('a') != std::string::npos && bytes.find('b') != std::string::npos;
  }
  EXPECT_TRUE(was_torn);
}

TEST(DiskFile, AFailedSyncIsNotMadeGoodByALaterOne) {
  SimRandom random(1);
  DiskFile file;
  file.write(0, "lost");
  file.fail_sync();
  file.sync();
  EXPECT_EQ(file.bytes(), "lost");
  file.power_cut(random);
  EXPECT_EQ(file.bytes(), "");
}

}  // namespace
}  // namespace teamster::env::sim
