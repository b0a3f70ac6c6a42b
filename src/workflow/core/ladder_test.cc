#include "workflow/core/ladder.h"

#include <gtest/gtest.h>

#include "workflow/core/run_for_test.h"

namespace teamster::workflow {
namespace {

RunTries tried(std::int64_t retries, std::int64_t mends, std::int64_t fresh) {
  RunTries tries;
  tries.retries = retries;
  tries.mends = mends;
  tries.fresh = fresh;
  return tries;
}

TEST(LadderRulesTest, FromTheMildestRungUp) {
  const FullLadder ladder;
  EXPECT_EQ(next_rung(ladder, "crashed", tried(0, 0, 0), 1), Rung::retry);
  EXPECT_EQ(next_rung(ladder, "crashed", tried(1, 0, 0), 1), Rung::fresh) << "the second L0 is L2";
  EXPECT_EQ(next_rung(ladder, "check", tried(0, 0, 0), 1), Rung::mend);
  EXPECT_EQ(next_rung(ladder, "check", tried(1, 0, 0), 1), Rung::mend) << "another fault has its own first rung";
  EXPECT_EQ(next_rung(ladder, "check", tried(0, 1, 0), 1), Rung::fresh);
  EXPECT_EQ(next_rung(ladder, "check", tried(0, 1, 1), 1), Rung::ask);
  EXPECT_EQ(next_rung(ladder, "crashed", tried(0, 0, 1), 1), Rung::ask) << "a fresh agent is not asked twice";
  EXPECT_EQ(next_rung(ladder, "context", tried(0, 0, 0), 1), Rung::fresh);
  EXPECT_EQ(next_rung(ladder, "overloaded", tried(9, 9, 9), 9), Rung::wait);
  EXPECT_EQ(next_rung(ladder, "login", tried(0, 0, 0), 1), Rung::ask);
  EXPECT_EQ(next_rung(ladder, "script", tried(0, 0, 0), 1), Rung::end);
  EXPECT_EQ(next_rung(ladder, "scope", tried(0, 0, 0), 1), Rung::fresh) << "nobody restructures";
}

TEST(LadderRulesTest, SoManyFreshAgentsForOneTask) {
  FullLadder ladder;
  ladder.fresh = 3;
  for (std::int64_t fresh = 0; fresh < 3; ++fresh)
    EXPECT_EQ(next_rung(ladder, "check", tried(0, 1, fresh), 1), Rung::fresh);
  EXPECT_EQ(next_rung(ladder, "check", tried(0, 1, 3), 1), Rung::ask) << "three L2 on one task are L4";
  ladder.retry = 0;
  EXPECT_EQ(next_rung(ladder, "crashed", tried(0, 0, 0), 1), Rung::fresh);
  ladder.fresh = 0;
  EXPECT_EQ(next_rung(ladder, "crashed", tried(0, 0, 0), 1), Rung::ask);
}

TEST(LadderRulesTest, TroubleOfSeveralIsTroubleOfTheGraph) {
  FullLadder ladder;
  ladder.advisor = "advisor";
  EXPECT_EQ(next_rung(ladder, "check", tried(0, 1, 0), 1), Rung::fresh);
  EXPECT_EQ(next_rung(ladder, "check", tried(0, 1, 0), 2), Rung::restructure) << "two at L2";
  EXPECT_EQ(next_rung(ladder, "check", tried(0, 0, 0), 5), Rung::mend) << "who is not there yet is mended first";
  EXPECT_EQ(next_rung(ladder, "scope", tried(0, 0, 0), 1), Rung::restructure);
  ladder.advise_at = 3;
  EXPECT_EQ(next_rung(ladder, "check", tried(0, 1, 0), 2), Rung::fresh);
  EXPECT_EQ(next_rung(ladder, "check", tried(0, 1, 1), 3), Rung::restructure);
}

TEST(LadderRulesTest, APhaseSaysMoreThanItsRoleAndTheRoleMoreThanTheWorkflow) {
  Pinned pinned = pinned_for_test({agent_phase("build")});
  Workflow& workflow = pinned.workflow;
  const auto now = [&] { return ladder_of(workflow, workflow.phases[0], "builder"); };
  EXPECT_EQ(now().fresh, 1);
  EXPECT_EQ(now().then, Ladder::Then::ask);
  EXPECT_EQ(now().patience, std::chrono::minutes(30));
  workflow.ladder.fresh = 2;
  workflow.ladder.then = Ladder::Then::block;
  workflow.ladder.faults = {{"crashed", "ask"}, {"check", "fresh"}};
  workflow.roles["builder"].ladder.fresh = 3;
  workflow.roles["builder"].ladder.advisor = "advisor";
  workflow.roles["builder"].ladder.faults = {{"check", "mend"}};
  workflow.phases[0].ladder.fresh = 4;
  workflow.phases[0].ladder.retry = 5;
  EXPECT_EQ(now().fresh, 4);
  EXPECT_EQ(now().retry, 5);
  EXPECT_EQ(now().mend, 1) << "nobody says it";
  EXPECT_EQ(now().advisor, "advisor");
  EXPECT_EQ(now().then, Ladder::Then::block);
  EXPECT_EQ(first_rung(now(), "crashed"), Rung::ask) << "respawned once by its host, then it parks";
  EXPECT_EQ(first_rung(now(), "check"), Rung::mend);
  workflow.phases[0].ladder = {};
  EXPECT_EQ(now().fresh, 3);
  EXPECT_EQ(ladder_of(workflow, workflow.phases[0], "nobody").fresh, 2);
}

TEST(LadderRulesTest, APauseGrowsToFiveMinutes) {
  EXPECT_EQ(pause_ms(0), 10'000);
  EXPECT_EQ(pause_ms(4), 160'000);
  EXPECT_EQ(pause_ms(5), 300'000);
  EXPECT_EQ(pause_ms(1'000'000), 300'000);
}

}  // namespace
}  // namespace teamster::workflow
