#include "env/sim/sim_random.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace teamster::env::sim {
namespace {

TEST(SimRandom, SameSeedSameSequence) {
  SimRandom one(42), two(42), other(43);
  bool differs = false;
  for (int i = 0; i < 100; ++i) {
    const auto number = one.next();
    EXPECT_EQ(number, two.next());
    differs |= number != other.next();
  }
  EXPECT_TRUE(differs);
}

TEST(SimRandom, IsTheSameOnEveryMachine) {
  SimRandom random(1);
  EXPECT_EQ(random.next(), SimRandom(1).next());
  EXPECT_EQ(SimRandom(0).next(), 11091344671253066420U);
}

TEST(SimRandom, ForkDependsOnTheLabelNotOnUse) {
  SimRandom random(7);
  const auto before = random.fork("a").next();
  random.next();
  EXPECT_EQ(random.fork("a").next(), before);
  EXPECT_NE(random.fork("b").next(), before);
}

TEST(SimRandom, KeepsItsBounds) {
  SimRandom random(5);
  int hits = 0;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_LT(random.below(7), 7U);
    hits += random.chance(0.25) ? 1 : 0;
  }
  EXPECT_GT(hits, 150);
  EXPECT_LT(hits, 350);
  EXPECT_FALSE(random.chance(0));
  EXPECT_TRUE(random.chance(1));
}

TEST(SimRandom, ShuffleKeepsTheItems) {
  SimRandom random(9);
  std::vector<int> items{1, 2, 3, 4, 5, 6, 7, 8};
  const auto original = items;
  random.shuffle(items);
  EXPECT_NE(items, original);
  std::sort(items.begin(), items.end());
  EXPECT_EQ(items, original);
}

}  // namespace
}  // namespace teamster::env::sim
