// Entries: where a run begins and after which phase it is done, who is in its team, and what it says of itself.
#include <gtest/gtest.h>

#include "workflow/core/run_for_test.h"

namespace teamster::workflow {
namespace {

Pinned with_entries() {
  Pinned pinned = pinned_for_test(
      {agent_phase("research", "scout"), agent_phase("design", "architect"), agent_phase("build", "builder")});
  pinned.workflow.entries = {{.name = "whole"},
                             {.name = "research", .to = "research"},
                             {.name = "design", .from = "design", .to = "design"},
                             {.name = "build", .from = "build"}};
  pinned.workflow.team.name = "crew";
  pinned.workflow.team.scope = Team::Scope::run;
  pinned.workflow.loops["again"] = loop_for_test("again", 2, Loop::Then::accept);
  pinned.workflow.phases[1].on = {way_to("design", {{"good", false}}, "again"), way_to("research", {{"lost", true}})};
  return pinned;
}

Json by(const std::string& entry) { return {{"entry", entry}}; }

TEST(EntryTest, GoesThroughEverything) {
  RunForTest run(with_entries());
  run.start(by("whole"));
  for (const char* phase : {"research", "design", "build"}) run.done(phase);
  run.finish();
  EXPECT_EQ(run.state.status, "done");
  EXPECT_EQ(run.state.answers.size(), 3U);
}

TEST(EntryTest, EndsAfterItsLastPhase) {
  RunForTest run(with_entries());
  run.start(by("research"));
  EXPECT_EQ(run.open_ids(), ids({"research.1"}));
  run.done("research");
  EXPECT_EQ(run.state.ending, "done") << run.decided();
  run.finish();
  EXPECT_EQ(run.state.answers.size(), 1U);
}

TEST(EntryTest, BeginsWithItsFirstPhaseAndFollowsTheWaysBack) {
  RunForTest run(with_entries());
  run.start(by("design"));
  EXPECT_EQ(run.open_ids(), ids({"design.1"}));
  run.done("design", {{"good", false}});
  EXPECT_EQ(run.open_ids(), ids({"design.2"})) << "a way that stays inside is taken";
  run.done("design", {{"lost", true}});
  EXPECT_EQ(run.open_ids(), ids({"research.1"})) << "also one that leads before its first phase";
  run.done("research");
  run.done("design");
  EXPECT_EQ(run.state.ending, "done");
}

TEST(EntryTest, ALoopThatAcceptsAtTheLastPhaseEndsIt) {
  RunForTest run(with_entries());
  run.start(by("design"));
  for (int i = 0; i < 3; ++i) run.done("design", {{"good", false}});
  EXPECT_EQ(run.state.ending, "done") << run.decided();
  EXPECT_EQ(run.state.notes.size(), 1U);
}

TEST(EntryTest, EndsAlsoWhenItsLastPhaseIsSkipped) {
  Pinned pinned = with_entries();
  pinned.workflow.phases[1].only = {{"run/entry", "whole"}};
  RunForTest run(pinned);
  run.start(by("design"));
  run.finish();
  EXPECT_EQ(run.state.status, "done");
  EXPECT_TRUE(run.state.answers.empty());
}

TEST(EntryTest, ItsTeamHasThoseWhoCanBeAsked) {
  RunForTest run(with_entries());
  run.happens({read_event_body(event::Started::kKind, by("build"))});
  std::vector<std::string> members;
  for (const auto& member : run.find_open("team")->get<command::MakeTeam>().members)
    if (!member.native) members.push_back(member.name);
  EXPECT_EQ(members, ids({"builder"}));
}

TEST(EntryTest, WithoutAnyoneToBeAskedThereIsNoTeam) {
  Pinned pinned = with_entries();
  Phase told = phase_for_test(Phase::Kind::notify, "tell");
  told.number = 4;
  told.text = "It is {{run/entry}}";
  pinned.workflow.phases.push_back(told);
  pinned.workflow.entries.push_back({.name = "tell", .from = "tell"});
  RunForTest run(pinned);
  run.happens({read_event_body(event::Started::kKind, by("tell"))});
  EXPECT_EQ(run.open_ids(), ids({"tell.1"}));
  EXPECT_EQ(run.open_fields("tell")["text"], "It is tell");
}

TEST(EntryTest, AReopenedRunEndsWhereItWouldHave) {
  RunForTest run(with_entries());
  run.start(by("research"));
  run.failed("research", "login");
  run.happens({event::CancelAsked{}});
  run.finish();
  run.happens({event::Reopened{}});
  run.settle(event::TeamReady{}, "team");
  EXPECT_EQ(run.open_ids(), ids({"research.2"}));
  run.done("research");
  EXPECT_EQ(run.state.ending, "done");
}

TEST(EntryTest, ASubRunIsStartedForOne) {
  Phase below = phase_for_test(Phase::Kind::workflow, "below");
  below.workflow = "ralph";
  below.entry = "design";
  RunForTest run(pinned_for_test({below}));
  run.start();
  EXPECT_EQ(run.open_fields("below")["entry"], "design");
}

}  // namespace
}  // namespace teamster::workflow
