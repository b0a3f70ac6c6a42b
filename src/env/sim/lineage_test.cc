#include "env/lineage.h"

#include <gtest/gtest.h>

#include "env/sim/sim_world.h"

namespace teamster::env::sim {
namespace {

constexpr const char* kHome = "/home/user/teamster";

// The operator's shell (20) has a run (30), whose keeper (40) has an agent (50), which has the process in question.
class LineageTest : public testing::Test {
 protected:
  LineageTest() {
    tell(1, 0, "init");
    tell(20, 1, "bash");
    tell(30, 20, "teamster");
    keeper({"teamster", "keeper", "--home", kHome});
    tell(50, 40, "claude");
  }
  void tell(std::int64_t pid, std::int64_t parent, const std::string& name, std::uint64_t ticks = 1) {
    world_.processes().tell(pid, {parent, ticks, name});
  }
  void keeper(std::vector<std::string> words) { world_.processes().tell(40, {30, 1, kKeeperName}, std::move(words)); }
  Lineage judge(std::int64_t pid, const std::string& home = kHome, std::uint64_t ticks = 1) {
    return lineage_of(view().processes, view().files, {pid, ticks}, home);
  }
  env::World view() { return host_.view(); }

  World world_{1};
  Host& host_ = world_.start("hub");
};

TEST_F(LineageTest, WhatIsAboveAKeeperIsFree) {
  EXPECT_EQ(judge(20), Lineage::free);
  EXPECT_EQ(judge(30), Lineage::free) << "the host itself";
  tell(60, 20, "teamster");
  EXPECT_EQ(judge(60), Lineage::free) << "a command in the operator's shell";
}

TEST_F(LineageTest, WhatIsBelowAKeeperIsKept) {
  EXPECT_EQ(judge(50), Lineage::kept);
  tell(60, 50, "sh");
  tell(70, 60, "teamster");
  EXPECT_EQ(judge(70), Lineage::kept);
  tell(70, 40, "teamster");
  EXPECT_EQ(judge(70), Lineage::kept) << "an orphan comes to the keeper";
}

TEST_F(LineageTest, AKeeperOfAnotherHomeDoesNotCount) {
  keeper({"teamster", "keeper", "--home", "/home/user/other"});
  EXPECT_EQ(judge(50), Lineage::free);
  EXPECT_EQ(judge(50, "/home/user/other"), Lineage::kept);
  world_.processes().tell(20, {1, 1, kKeeperName}, {"teamster", "keeper", "--home", kHome});
  EXPECT_EQ(judge(50), Lineage::kept) << "one further up is looked at, too";
}

TEST_F(LineageTest, AKeeperThatDoesNotSayWhoseItIsCounts) {
  for (const auto& words : std::vector<std::vector<std::string>>{{}, {"teamster", "keeper"}, {"teamster", "--home"}}) {
    keeper(words);
    EXPECT_EQ(judge(50), Lineage::kept);
  }
}

TEST_F(LineageTest, OfAProcessThatIsGoneNobodyCanTell) {
  EXPECT_EQ(judge(99), Lineage::uncertain);
  tell(99, 20, "bash", 7);
  EXPECT_EQ(judge(99, kHome, 3), Lineage::uncertain) << "its number is another's by now";
  EXPECT_EQ(judge(99, kHome, 7), Lineage::free);
}

TEST_F(LineageTest, AParentThatIsYoungerThanItsChildIsNone) {
  tell(60, 61, "teamster", 5);
  tell(61, 20, "bash", 9);
  EXPECT_EQ(judge(60, kHome, 5), Lineage::uncertain);
}

TEST_F(LineageTest, WhereTheSystemHidesAParentLineageEnds) {
  tell(60, 61, "teamster");
  EXPECT_EQ(judge(60), Lineage::free);
}

TEST_F(LineageTest, WhoHidesBehindManyParentsIsNotBelieved) {
  std::int64_t parent = 50;
  for (std::int64_t pid = 100'000; pid < 105'000; ++pid) {
    tell(pid, parent, "sh");
    parent = pid;
  }
  EXPECT_EQ(judge(parent), Lineage::uncertain);
}

}  // namespace
}  // namespace teamster::env::sim
