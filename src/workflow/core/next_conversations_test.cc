// What a phase says of the agent that works in it: a conversation of its own, the skill that it works by, and the stage
// that people call the phase by.
#include <gtest/gtest.h>

#include "workflow/core/run_for_test.h"

namespace teamster::workflow {
namespace {

Pinned with_preamble(std::vector<Phase> phases) {
  Pinned pinned = pinned_items(std::move(phases));
  pinned.workflow.messages.preamble = "rules";
  return pinned;
}

const Json kStart = {{"values", {{"rules", "Be kind."}}}};

TEST(ConversationTest, AFreshPhaseBeginsANewOneAndWhatFollowsGoesOnInIt) {
  Phase review = agent_phase("review");
  review.fresh = true;
  RunForTest run(with_preamble({agent_phase("write"), review, agent_phase("tidy")}));
  run.start(kStart);
  EXPECT_TRUE(run.open_fields("write")["first"]);
  EXPECT_EQ(run.said("write", "conversation"), "") << "the member's first";
  run.done("write");
  EXPECT_EQ(run.said("review", "member"), "builder") << "the same member";
  EXPECT_EQ(run.said("review", "conversation"), "review.1");
  EXPECT_TRUE(run.open_fields("review")["first"]) << "it knows nothing, so it gets the preamble";
  EXPECT_EQ(run.said("review").find("Be kind."), 0U);
  run.done("review");
  EXPECT_EQ(run.said("tidy", "conversation"), "review.1");
  EXPECT_FALSE(run.open_fields("tidy")["first"]);
}

TEST(ConversationTest, WhatIsOnlySaidOnceMoreStaysInIt) {
  Phase review = agent_phase("review");
  review.fresh = true;
  review.on = {way_to("review", {{"good", false}}, "again")};
  Pinned pinned = with_preamble({review});
  pinned.workflow.loops["again"] = loop_for_test("again", 3, Loop::Then::block);
  RunForTest run(pinned);
  run.start(kStart);
  run.failed("review", "protocol");
  EXPECT_EQ(run.said("review", "rung"), "mend");
  EXPECT_EQ(run.said("review", "conversation"), "review.1");
  EXPECT_FALSE(run.open_fields("review")["first"]);
  run.done("review", {{"good", false}});
  EXPECT_EQ(run.said("review", "conversation"), "review.3") << "entered again it begins anew";
  run.settle(event::MemberLost{"builder", "its process was replaced"}, "review");
  EXPECT_EQ(run.said("review", "conversation"), "review.3") << "what is lost is told again, and is no other";
  EXPECT_TRUE(run.open_fields("review")["first"]);
}

TEST(ConversationTest, EachItemOfAFreshPhaseHasItsOwnAndSoHasItsMerge) {
  Phase phase = fanout({"a", "b"}, 1);
  phase.fresh = true;
  phase.merge = "chief";
  phase.merge_template = "merge.md";
  RunForTest run(with_preamble({phase}));
  run.start(kStart);
  run.serve();
  EXPECT_EQ(run.said("research/1", "conversation"), "research/1.1");
  run.done("research/1");
  run.serve();
  EXPECT_EQ(run.said("research/2", "member"), "scout-1") << "the same member";
  EXPECT_EQ(run.said("research/2", "conversation"), "research/2.1");
  EXPECT_TRUE(run.open_fields("research/2")["first"]);
  run.done("research/2");
  run.serve();
  EXPECT_EQ(run.said("research/merge", "conversation"), "research/merge.1");
}

TEST(SkillTest, IsNamedInThePromptAndInTheTurn) {
  Phase plain = agent_phase("plan");
  plain.skill = "planning";
  Phase worded = agent_phase("build");
  worded.skill = "building";
  worded.template_file = "skill.md";
  Pinned pinned = pinned_for_test({plain, worded, agent_phase("tidy")});
  pinned.bundle["skill.md"] = "Use {{SKILL}} now.";
  RunForTest run(pinned);
  run.start();
  EXPECT_EQ(run.said("plan"), "Do plan.\n\nWork by the skill planning: read it before you begin.");
  EXPECT_EQ(run.said("plan", "skill"), "planning");
  run.done("plan");
  EXPECT_EQ(run.said("build"), "Use building now.");
  run.failed("build", "skill", "the skill building is not there");
  EXPECT_EQ(run.decided(), "ask build/stuck.1") << "whoever can put it there is asked";
  run.done("build/stuck", {{"answer", "same"}, {"by", "kim"}});
  EXPECT_EQ(run.said("build", "skill"), "building");
  run.done("build");
  EXPECT_EQ(run.said("tidy", "skill"), "") << "none is named";
}

TEST(SkillTest, OfAnItemComesBeforeThatOfThePhase) {
  Phase phase = fanout({}, 3);
  phase.items->fixed = {{{"id", "a"}, {"skill", "own"}}, {{"id", "b"}}, "c"};
  phase.skill = "common";
  phase.merge = "chief";
  phase.merge_template = "merge.md";
  phase.merge_skill = "merging";
  RunForTest run(pinned_items({phase}));
  run.start();
  run.serve();
  EXPECT_EQ(run.said("research/1", "skill"), "own");
  EXPECT_EQ(run.said("research/2", "skill"), "common");
  EXPECT_EQ(run.said("research/3", "skill"), "common");
  EXPECT_EQ(run.said("research/3").find("Look at c."), 0U) << "what the author lists is nobody else's words";
  for (const char* step : {"research/1", "research/2", "research/3"}) run.done(step);
  run.serve();
  EXPECT_EQ(run.said("research/merge", "skill"), "merging");
}

TEST(SkillTest, OneThatNobodyCanHaveParksTheItem) {
  Phase plan = agent_phase("plan");
  Phase phase = fanout({}, 2);
  phase.items->source = Source{Source::Kind::answer, "plan", {"tasks"}, {}};
  RunForTest run(pinned_items({plan, phase}));
  run.start();
  run.done("plan", Json::parse(R"({"tasks": [{"id": "a", "skill": "../../etc"}, {"id": "b"}]})"));
  run.serve();
  EXPECT_NE(run.said("research/1/stuck", "text").find("../../etc"), std::string::npos);
  EXPECT_NE(run.find_open("research/2"), nullptr) << "the others go on";
}

TEST(StageTest, IsWhatPeopleCallThePhase) {
  Phase first = agent_phase("plan");
  first.stage = "P0";
  Phase second = agent_phase("build");
  second.stage = "7";
  for (auto* phase : {&first, &second}) phase->template_file = "number.md";
  Phase third = agent_phase("tidy");
  third.template_file = "number.md";
  Pinned pinned = pinned_for_test({first, second, third});
  pinned.bundle["number.md"] = "Phase {{PHASE_NUMBER}}.";
  pinned.workflow.messages.marker = "[PHASE {{PHASE_NUMBER}}]";
  RunForTest run(pinned);
  run.start();
  EXPECT_EQ(run.said("plan"), "Phase P0.");
  EXPECT_EQ(run.said("plan", "marker"), "[PHASE P0]");
  EXPECT_EQ(run.state.stage, "P0");
  const auto fact = [&](const Phase& at) {
    return value_of(pinned, {run.state, &at}, Source{Source::Kind::run, "phase_number", {}, {}});
  };
  EXPECT_EQ(fact(pinned.workflow.phases[0]), "P0");
  EXPECT_EQ(fact(pinned.workflow.phases[1]), 7) << "a number is a number";
  EXPECT_EQ(fact(pinned.workflow.phases[2]), 3);
  run.done("plan");
  EXPECT_EQ(run.said("build"), "Phase 7.");
  run.done("build");
  EXPECT_EQ(run.said("tidy"), "Phase 3.") << "its place in the list";
  EXPECT_EQ(run.state.stage, "") << "the workflow does not say one";
}

TEST(StageTest, ATeamMayBeginWithTheFirstOfSeveralPhasesWhoseConditionHolds) {
  for (const bool is_large : {true, false}) {
    Pinned pinned = pinned_for_test({agent_phase("size"), agent_phase("draw"), agent_phase("look")});
    pinned.workflow.team.name = "crew";
    pinned.workflow.team.scope = Team::Scope::run;
    pinned.workflow.team.from = {{"draw", {{"size/large", true}}}, {"look"}};
    RunForTest run(pinned);
    run.start();
    run.done("size", {{"large", is_large}});
    EXPECT_EQ(run.find_open("draw") == nullptr, is_large) << "first those who worked alone go";
    if (is_large) continue;
    run.done("draw");
    EXPECT_EQ(run.find_open("look"), nullptr);
  }
}

}  // namespace
}  // namespace teamster::workflow
