#include "rehearsal/fault.h"

#include <gtest/gtest.h>

#include "workflow/core/run_for_test.h"

namespace teamster::cli {
namespace {

using workflow::Phase;

std::vector<workflow::Workflow> example() {
  Phase research = workflow::phase_for_test(Phase::Kind::fanout, "research", "scout");
  research.items = workflow::Items{};
  research.merge = "editor";
  auto first =
      workflow::pinned_for_test({research, workflow::agent_phase("build"), workflow::agent_phase("fix")}).workflow;
  for (const char* role : {"scout", "editor", "builder"}) first.roles[role].name = role;
  first.roles["lead"].is_native = true;
  auto second = workflow::pinned_for_test({workflow::agent_phase("verify", "reviewer")}).workflow;
  return {first, second};
}

std::string problem(const std::string& text) {
  const auto fault = StagedFault::parse(text);
  if (!fault) return fault.error().what;
  const auto checked = check_fault(*fault, example());
  return checked ? "" : checked.error().text();
}

TEST(FaultTest, IsReadAndWritten) {
  for (const char* text : {"crash builder@fix.1", "mute scout-1@research/1", "slow a@b", "garbage a@b.2",
                           "kill hub@step.done:verify.1:before"})
    EXPECT_EQ(StagedFault::parse(text)->text(), text);
  for (const char* text : {"", "crash", "crash builder", "crash @fix", "crash builder@", "burn builder@fix",
                           "kill engine@fix.1", "crash builder@step.done:fix.1:after"})
    EXPECT_FALSE(StagedFault::parse(text)) << text;
}

TEST(FaultTest, WhatAWorkflowHasIsRight) {
  for (const char* text :
       {"crash builder@fix.1", "crash builder@build", "mute scout-2@research/7.1", "slow editor@research/merge",
        "garbage builder-fresh-3@build.3", "crash reviewer@verify", "kill engine@run.started:before",
        "kill keeper@run.team_ready:team.1:after", "kill hub@run.team_gone:end-demo.1:after",
        "kill engine@step.done:research/items.1:before", "kill engine@run.team_ready:research/2/team.1:after",
        "kill scout-1@step.failed:research/1.2:after", "kill engine@run.ended:after",
        "kill engine@step.done:verify.1:after"})
    EXPECT_EQ(problem(text), "") << text;
}

TEST(FaultTest, WhatItHasNotIsNamedWithWhatWasMeant) {
  EXPECT_EQ(problem("crash bilder@fix"), "fault 'crash bilder@fix': there is no member bilder. Did you mean builder?");
  EXPECT_NE(problem("crash engine@fix").find("there is no member engine"), std::string::npos) << "it has no turns";
  EXPECT_NE(problem("crash lead@fix").find("there is no member lead"), std::string::npos);
  EXPECT_NE(problem("crash builder@fxi").find("Did you mean fix?"), std::string::npos);
  EXPECT_NE(problem("crash builder@verify").find("builder has no turn in verify"), std::string::npos);
  EXPECT_NE(problem("crash scout@research").find("there is no step research"), std::string::npos) << "only its items";
  EXPECT_NE(problem("crash builder@research/merge").find("builder has no turn"), std::string::npos);
  EXPECT_NE(problem("kill engine@step.dome:fix.1:after").find("Did you mean step.done?"), std::string::npos);
  EXPECT_NE(problem("kill engine@step.done:fxi.1:after").find("Did you mean fix?"), std::string::npos);
  EXPECT_NE(problem("kill engine@step.done:build/1.1:after").find("there is no step build/1"), std::string::npos);
  EXPECT_NE(problem("kill engine@step.done:fix:after").find("which attempt"), std::string::npos);
}

}  // namespace
}  // namespace teamster::cli
