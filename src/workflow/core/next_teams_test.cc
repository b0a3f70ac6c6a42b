// The team of the run: when it is made, and what becomes of the work when there is none; what the run says of it to
// others; and what members have changed that was not theirs.
#include <gtest/gtest.h>

#include "workflow/core/run_for_test.h"

namespace teamster::workflow {
namespace {

Pinned with_team(Team team, std::vector<Phase> phases) {
  Pinned pinned = pinned_for_test(std::move(phases));
  team.scope = Team::Scope::run;
  if (team.name.empty()) team.name = "crew-{{args/what}}";
  pinned.workflow.team = std::move(team);
  return pinned;
}

Team from_build() {
  Team team;
  team.from = {{"build"}};
  return team;
}

Team with_words(const std::string& otherwise) {
  Team team;
  team.otherwise = otherwise;
  return team;
}

std::string report_in(const RunForTest& run) {
  for (const auto& record : run.records)
    for (const auto& decided : record.commands)
      if (const auto* end = decided.as<command::End>()) return end->report;
  return {};
}

Json fact(const Pinned& pinned, const RunState& state, const std::string& name) {
  Source source;
  source.kind = Source::Kind::run;
  source.name = name;
  return value_of(pinned, {state}, source);
}

TEST(RunTeamTest, ComesBeforeThePhaseItIsFromAndAfterThoseWhoWorkedAlone) {
  const Pinned pinned = with_team(from_build(), {agent_phase("plan"), agent_phase("build"), agent_phase("check")});
  RunForTest run(pinned);
  run.start({{"args", {{"what", "x"}}}, {"at_s", 1700000000}, {"temporary", "/tmp"}});
  EXPECT_EQ(run.said("plan", "team"), "w-20261116-1a2b") << "alone";
  EXPECT_EQ(fact(pinned, run.state, "team"), Json());
  EXPECT_EQ(fact(pinned, run.state, "members"), Json());
  EXPECT_EQ(fact(pinned, run.state, "started"), 1700000000);
  EXPECT_EQ(fact(pinned, run.state, "temporary"), "/tmp");
  run.done("plan");
  EXPECT_EQ(run.decided(), "settle plan · enter build · end_team end-w-20261116-1a2b.1");
  run.settle(event::TeamGone{}, "end-w-20261116-1a2b");
  EXPECT_EQ(run.decided(), "make_team team.2");
  EXPECT_EQ(run.open_fields("team")["team"], "crew-x");
  run.settle(event::TeamReady{}, "team");
  EXPECT_EQ(run.said("build", "team"), "crew-x");
  EXPECT_EQ(fact(pinned, run.state, "team"), "crew-x");
  EXPECT_EQ(fact(pinned, run.state, "members"), Json::parse(R"(["builder"])"));
  run.done("build");
  EXPECT_EQ(run.said("check", "team"), "crew-x") << "and stays";
}

TEST(RunTeamTest, IsThereFromTheStartOfARunThatIsReopenedBehindItsPhase) {
  RunForTest run(with_team(from_build(), {agent_phase("plan"), agent_phase("build")}));
  run.start({{"args", {{"what", "x"}}}});
  run.done("plan");
  run.settle(event::TeamGone{}, "end-w-20261116-1a2b");
  run.settle(event::TeamReady{}, "team");
  run.failed("build", "login");
  run.done("build/stuck", {{"answer", "abort"}, {"by", "kim"}});
  run.finish();
  run.happens({event::Reopened{}});
  EXPECT_EQ(run.open_fields("team")["team"], "crew-x");
}

TEST(RunTeamTest, UnlessItsConditionHoldsMembersWorkAloneAndTheUserIsWarnedOnce) {
  Team team;
  team.only = {{"plan/tier", "COMPLEX"}};
  team.from = {{"build"}};
  team.otherwise = "No team for {{args/what}}.";
  RunForTest run(with_team(team, {agent_phase("plan"), agent_phase("build"), agent_phase("check")}));
  run.start({{"args", {{"what", "x"}}}});
  run.done("plan", {{"tier", "TRIVIAL"}});
  EXPECT_EQ(run.decided(), "settle plan · enter build · warn  · turn build.1");
  ASSERT_EQ(run.state.warnings.size(), 1U);
  EXPECT_EQ(run.state.warnings[0].text, "No team for x.");
  run.done("build");
  EXPECT_EQ(run.state.warnings.size(), 1U);
  run.done("check");
  run.finish();
  EXPECT_NE(run.records.back().event.as<event::Ended>(), nullptr);
}

TEST(RunTeamTest, OneThatCannotBeMadeIsNoEndWhereTheWorkflowHasWordsForIt) {
  RunForTest run(with_team(with_words("Going on alone."), {agent_phase("build")}));
  run.happens({read_event_body(event::Started::kKind, {{"args", {{"what", "x"}}}})});
  run.failed("team", "refused", "team crew-x is alive");
  EXPECT_EQ(run.decided(), "warn  · make_team team.2");
  EXPECT_EQ(run.open_fields("team")["team"], "w-20261116-1a2b");
  run.settle(event::TeamReady{}, "team");
  EXPECT_EQ(run.said("build", "team"), "w-20261116-1a2b");
}

TEST(RunTeamTest, ThatOfAPhaseIsLeftOutUnlessItsConditionHolds) {
  Phase phase = fanout({"a", "b"}, 2);
  phase.team.name = "scouts";
  phase.team.scope = Team::Scope::phase;
  phase.team.only = {{"args/teams", "on"}};
  for (const char* teams : {"on", "off"}) {
    RunForTest run(pinned_items({phase}));
    run.start({{"args", {{"teams", teams}}}});
    EXPECT_EQ(run.state.warnings.size(), std::string(teams) == "on" ? 0U : 1U);
    EXPECT_EQ(run.decided().find("make_team research/team.1") != std::string::npos, std::string(teams) == "on");
  }
}

TEST(RunTeamTest, ThatOfAPhaseThatCannotBeMadeIsNoEndEither) {
  Phase phase = fanout({"a", "b"}, 2);
  phase.team.name = "scouts";
  phase.team.scope = Team::Scope::phase;
  phase.team.otherwise = "Going on alone.";
  RunForTest run(pinned_items({phase}));
  run.start();
  run.failed("research/team", "refused", "team scouts is alive");
  EXPECT_EQ(run.decided(), "warn  · make_tasks research/tasks.1");
}

TEST(StrayedTest, WhatAMemberHadNoBusinessToChangeIsToldAndInTheReport) {
  RunForTest run(pinned_for_test({agent_phase("build")}));
  run.start();
  run.done("build", Json::object(), {{"strayed", {{"paths", {"src/a.cc"}}, {"aside", "refs/teamster/aside/x"}}}});
  ASSERT_EQ(run.state.warnings.size(), 1U);
  EXPECT_EQ(run.state.warnings[0].text,
            "builder changed what its role may not write: src/a.cc; it was put back, and is kept as "
            "refs/teamster/aside/x");
  run.finish();
  EXPECT_NE(report_in(run).find("src/a.cc"), std::string::npos) << report_in(run);
}

TEST(StrayedTest, SoIsWhatAMessageMadeItChange) {
  RunForTest run(pinned_for_test({agent_phase("build")}));
  run.start();
  run.happens({event::MemberStrayed{"builder", {"src/a.cc"}, "refs/teamster/aside/x"}});
  ASSERT_EQ(run.state.warnings.size(), 1U);
  EXPECT_EQ(run.state.warnings[0].about, "builder");
  EXPECT_EQ(run.state.warnings[0].text,
            "builder changed what its role may not write: src/a.cc; it was put back, and is kept as "
            "refs/teamster/aside/x");
  EXPECT_FALSE(run.state.open.empty()) << "the step that is under way goes on";
}

TEST(StrayedTest, RungsAreInTheReport) {
  RunForTest run(pinned_for_test({agent_phase("build")}));
  run.start();
  run.failed("build", "protocol", "no JSON");
  run.done("build");
  run.finish();
  EXPECT_NE(report_in(run).find("- build: mend 1×"), std::string::npos) << report_in(run);
}

}  // namespace
}  // namespace teamster::workflow
