#include "env/liveness.h"

#include <gtest/gtest.h>

#include "env/sim/sim_world.h"

namespace teamster::env::sim {
namespace {

class LivenessTest : public testing::Test {
 protected:
  Liveness judge(const ProcessIdentity& process) { return liveness_of(host_.view().processes, process); }

  World world_{1};
  Host& host_ = world_.start("hub");
  Host& other_ = world_.start("engine");
  ProcessIdentity process_ = other_.view().processes.self();
};

TEST_F(LivenessTest, OfOurNamespaceIsSeen) {
  EXPECT_EQ(judge(process_), Liveness::alive);
  ProcessIdentity reused = process_;
  ++reused.start_ticks;
  EXPECT_EQ(judge(reused), Liveness::dead) << "the pid is another's by now";
  world_.kill(other_);
  EXPECT_EQ(judge(process_), Liveness::dead);
}

TEST_F(LivenessTest, OfAnotherNamespaceCannotBeSeen) {
  process_.pid_namespace = 4026532000;
  EXPECT_EQ(judge(process_), Liveness::elsewhere);
  world_.kill(other_);
  EXPECT_EQ(judge(process_), Liveness::elsewhere) << "whether or not we have a process of that number";
}

TEST_F(LivenessTest, OfAnotherMachineCannotBeSeen) {
  process_.machine_id = "another";
  process_.boot_id = "its boot";
  EXPECT_EQ(judge(process_), Liveness::elsewhere);
  process_.machine_id.clear();
  EXPECT_EQ(judge(process_), Liveness::elsewhere) << "that it does not know its machine does not make it ours";
}

TEST_F(LivenessTest, OfAnEarlierBootIsDead) {
  process_.boot_id = "before";
  EXPECT_EQ(judge(process_), Liveness::dead);
  process_.pid_namespace = 4026532000;
  EXPECT_EQ(judge(process_), Liveness::elsewhere) << "in a container the machine's id may be that of its image";
}

TEST_F(LivenessTest, OfAnOlderProgramIsJudgedAsBefore) {
  const ProcessIdentity older{process_.pid, process_.start_ticks, process_.boot_id};
  EXPECT_EQ(judge(older), Liveness::alive);
  EXPECT_EQ(judge({process_.pid, process_.start_ticks, "before"}), Liveness::dead);
  world_.kill(other_);
  EXPECT_EQ(judge(older), Liveness::dead);
}

}  // namespace
}  // namespace teamster::env::sim
