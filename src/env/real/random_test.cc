#include "env/real/random.h"

#include <set>

#include <gtest/gtest.h>

namespace teamster::env::real {
namespace {

TEST(Random, DoesNotRepeatAcrossRefills) {
  Random random;
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random.next());
  EXPECT_EQ(seen.size(), 1000U);
}

TEST(Random, HexHasTwoDigitsPerByte) {
  Random random;
  EXPECT_EQ(random.hex(0).size(), 0U);
  EXPECT_EQ(random.hex(3).size(), 6U);
  EXPECT_EQ(random.hex(32).size(), 64U);
}

}  // namespace
}  // namespace teamster::env::real
