// What a workflow rules that its agents cannot talk their way around: answers that are faults, one owner for each path,
// graphs that can be worked on, a coordinator that needs all, prompts that leave room, and which questions are for
// people.
#include "workflow/core/retrospect.h"
#include "workflow/core/run_facts.h"
#include "workflow/core/run_for_test.h"

namespace teamster::workflow {
namespace {

Pinned with_trouble(Pinned pinned) {
  pinned.workflow.trouble = {{{{"status", "BLOCKED"}}, "blocked", "it says {{answer/signal}}"},
                             {{{"status", "WRONG"}}, "incomplete", ""}};
  return pinned;
}

TEST(RulesTest, AnAnswerCanBeAFault) {
  RunForTest run(with_trouble(pinned_for_test({agent_phase("build"), agent_phase("check")})));
  run.start();
  run.done("build", {{"status", "BLOCKED"}, {"signal", "BLOCKED|tool:WebSearch"}});
  EXPECT_EQ(run.decided(), "ask build/stuck.1") << "nobody tries again what cannot be done";
  EXPECT_NE(run.said("build/stuck", "text").find("it says BLOCKED|tool:WebSearch"), std::string::npos);
  run.done("build/stuck", {{"answer", "same"}});
  run.done("build", {{"status", "WRONG"}});
  EXPECT_EQ(run.said("build", "rung"), "mend");
  EXPECT_NE(run.said("build").find(R"({"status":"WRONG"})"), std::string::npos) << "without words, the answer itself";
  run.done("build", {{"status", "PASS"}});
  EXPECT_NE(run.find_open("check"), nullptr);
  EXPECT_EQ(run.state.escalated.at("build"), "L1|" + std::string(R"({"status":"WRONG"})"));
}

Phase tasks_of(const std::string& source) {
  Phase phase = fanout({}, 2);
  phase.items->source = Source{Source::Kind::answer, source, {"tasks"}, {}};
  phase.items->owns = "files";
  return phase;
}

TEST(RulesTest, AGraphIsMendedByWhoMadeIt) {
  RunForTest run(pinned_items({agent_phase("plan"), tasks_of("plan")}));
  run.start();
  const auto why = [&](const char* tasks) {
    run.done("plan", {{"tasks", Json::parse(tasks)}});
    return run.said("plan", "why");
  };
  EXPECT_NE(why(R"([{"id":"a","files":["x"]},{"id":"b","files":["./x"]}])").find("'x' is owned by a and by b"),
            std::string::npos);
  EXPECT_EQ(run.said("plan", "rung"), "mend");
  EXPECT_NE(why(R"([{"id":"a","files":["x"],"blocked_by":["c"]}])").find("there is no such item"), std::string::npos);
  EXPECT_EQ(run.said("plan", "rung"), "fresh");
  run.done("plan", {{"tasks", Json::parse(R"([{"id":"a","files":[]}])")}});
  EXPECT_NE(run.said("plan/stuck", "text").find("a owns nothing"), std::string::npos);
  run.done("plan/stuck", {{"answer", "again"}});
  run.done("plan", {{"tasks", Json::parse(R"([{"id":"a","files":["../x"]}])")}});
  EXPECT_NE(run.said("plan/stuck", "text").find("no path in the project"), std::string::npos);
  run.done("plan/stuck", {{"answer", "again"}});
  run.done("plan", {{"tasks", Json::parse(R"([{"id":"a","files":["x"],"role":"cook"}])")}});
  EXPECT_NE(run.said("plan/stuck", "text").find("for the role \"cook\", expected one of scout"), std::string::npos);
  run.done("plan/stuck", {{"answer", "again"}});
  run.done("plan",
           {{"tasks", Json::parse(R"([{"id":"a","files":["x"]},{"id":"b","files":["y"],"blocked_by":["a"]}])")}});
  run.serve();
  EXPECT_EQ(run.open_fields("research/1")["writes"], Json::parse(R"(["x"])"));
}

TEST(RulesTest, WhoWritesWhatAnotherOwnsIsToldSo) {
  RunForTest run(pinned_items({agent_phase("plan"), tasks_of("plan")}));
  run.start();
  run.done("plan", {{"tasks", Json::parse(R"([{"id":"a","files":["x"]},{"id":"b","files":["y"]}])")}});
  run.serve();
  run.done("research/1", Json::object(), {{"strayed", {{"paths", {"y"}}, {"aside", "refs/a"}}}});
  EXPECT_EQ(run.said("research/1", "rung"), "mend");
  EXPECT_NE(run.said("research/1").find("not yours to change, and were put back: y. You own x"), std::string::npos);
}

TEST(RulesTest, ItemsComeFromTheFirstListThatHasAny) {
  Phase phase = tasks_of("detailed");
  phase.items->owns.clear();
  phase.items->or_from = {Source{Source::Kind::answer, "plan", {"tasks"}, {}}};
  RunForTest run(pinned_items({agent_phase("plan"), agent_phase("detailed"), phase}));
  run.start();
  run.done("plan", {{"tasks", {{{"id", "a"}}}}});
  run.done("detailed");
  run.serve();
  EXPECT_EQ(run.state.items.find(1)->id, "a");
}

TEST(RulesTest, FieldsOfAListAreTheListOfTheirFields) {
  const Json answers = Json::parse(R"([{"file":"a","tasks":[1,2]},{"file":"b"},{"tasks":[3]},"text"])");
  EXPECT_EQ(value_at(answers, "file"), Json::parse(R"(["a","b"])"));
  EXPECT_EQ(value_at(answers, "tasks"), Json::parse("[1,2,3]"));
  EXPECT_EQ(value_at(answers, "other"), Json::array());
}

TEST(RulesTest, ACoordinatorThatNeedsAllLetsNoneBeLeftOut) {
  Phase phase = fanout({"a", "b"}, 2);
  phase.merge = "editor";
  phase.merge_template = "merge.md";
  phase.merge_needs_all = true;
  phase.merge_pass = {{"status", "PASS"}};
  phase.merge_files = {{"file", "out/{{run/id}}.md", "header.json"}};
  RunForTest run(pinned_items({phase}));
  run.start();
  run.serve();
  run.failed("research/1", "login");
  EXPECT_EQ(run.open_fields("research/1/stuck")["options"], Json::parse(R"(["same","again","abort"])"));
  run.done("research/1/stuck", {{"answer", "skip"}});
  EXPECT_EQ(run.said("research/1", "rung"), "fresh") << "it is no option";
  run.done("research/1", "A");
  run.done("research/2", "B");
  run.serve();
  EXPECT_EQ(run.open_fields("research/merge")["outputs"],
            Json::parse(R"([{"field":"file","path":"out/w-20261116-1a2b.md","header":"header.json"}])"));
  run.done("research/merge", {{"status", "FAIL"}});
  EXPECT_EQ(run.said("research/merge", "rung"), "mend") << "what it hands in has to pass";
}

TEST(RulesTest, APromptLeavesRoomForTheWork) {
  Pinned pinned = pinned_for_test({agent_phase("build")});
  pinned.workflow.roles["builder"].window = 1000;
  pinned.bundle["say.md"] = std::string(300, 'x');
  RunForTest fits(pinned);
  fits.start();
  EXPECT_NE(fits.find_open("build"), nullptr);
  pinned.bundle["say.md"] = std::string(301, 'x');
  RunForTest is_long(pinned);
  is_long.start();
  EXPECT_NE(is_long.said("build/stuck", "text").find("301 characters, and 30 % of the window of builder are 300"),
            std::string::npos)
      << is_long.said("build/stuck", "text");
}

TEST(RulesTest, TheLeadAnswersWhatIsNoMatterOfPeople) {
  Pinned pinned = pinned_for_test({agent_phase("build")});
  pinned.workflow.questions.reasons = {"scope"};
  pinned.workflow.questions.otherwise = "Decide yourself";
  RunForTest run(pinned);
  run.start();
  const auto asks = [&](std::int64_t number, const std::string& reason, std::vector<std::string> options = {}) {
    run.happens({event::Asked{.member = "builder",
                              .team = "w-20261116-1a2b",
                              .message = number,
                              .text = "Which?",
                              .options = std::move(options),
                              .reason = reason}});
    return run.decided();
  };
  EXPECT_EQ(asks(1, ""), "reply build/ask-1/reply.1");
  EXPECT_EQ(run.said("build/ask-1/reply", "text"), "Decide yourself");
  EXPECT_EQ(run.said("build/ask-1/reply", "by"), "lead");
  EXPECT_EQ(asks(2, "taste"), "reply build/ask-2/reply.1");
  EXPECT_EQ(asks(3, "scope"), "ask build/ask-3.1");
  EXPECT_EQ(asks(4, "", {"a", "b"}), "ask build/ask-4.1") << "when in doubt people decide";
  run.done("build/ask-1/reply");
  run.done("build/ask-3", {{"answer", "all of it"}, {"by", "kim"}});
  ASSERT_EQ(run.state.directives.size(), 1U);
  EXPECT_EQ(run.state.directives[0].step, "build");
  EXPECT_FALSE(run.state.directives[0].is_for_all);
}

TEST(RulesTest, WhatIsAskedWhenNothingGoesOnHasATitleAndAnEnd) {
  Pinned pinned = pinned_for_test({agent_phase("build")});
  pinned.workflow.questions.title = "Strategic Decision Required";
  pinned.workflow.questions.abort = "Abort pipeline";
  RunForTest run(pinned);
  run.start();
  run.failed("build", "login");
  EXPECT_EQ(run.said("build/stuck", "text").find("Strategic Decision Required\n\nbuild cannot go on"), 0U);
  EXPECT_EQ(run.open_fields("build/stuck")["options"].back(), "Abort pipeline");
  EXPECT_EQ(run.open_fields("build/stuck")["outcomes"].size(), 3U);
  run.done("build/stuck", {{"answer", "Abort pipeline"}});
  run.finish();
  EXPECT_EQ(run.state.status, "blocked");
}

TEST(RulesTest, ATeamIsMadeWhenTheRunComesToOneOfItsPhases) {
  const auto teams = [](const char* tier) {
    Phase plan = agent_phase("plan");
    plan.on = {way_to("grow", {{"tier", "large"}}), way_to("work")};
    Pinned pinned = pinned_for_test({plan, agent_phase("grow"), agent_phase("design"), agent_phase("work")});
    pinned.workflow.team.name = "team";
    pinned.workflow.team.scope = Team::Scope::run;
    pinned.workflow.team.from = {{"grow", {{"plan/tier", "large"}}}, {"work"}};
    RunForTest run(pinned);
    run.start();
    EXPECT_EQ(run.state.run_team, "w-20261116-1a2b");
    run.done("plan", {{"tier", tier}});
    run.settle(event::TeamGone{}, "end-w-20261116-1a2b");
    run.settle(event::TeamReady{}, "team");
    return run.state.run_team + " " + run.open_ids().front();
  };
  EXPECT_EQ(teams("large"), "team grow.1");
  EXPECT_EQ(teams("small"), "team work.1");
}

TEST(RulesTest, FactsOfTheRunAreForThoseWhomTheyTouch) {
  Phase build = fanout({"parser", "printer"}, 2);
  Pinned pinned = pinned_items({agent_phase("plan"), build});
  RunForTest run(pinned);
  run.start();
  run.done("plan");
  run.serve();
  run.happens({event::Asked{.member = "scout-1", .team = "t", .message = 1, .text = "Tabs?"}});
  run.done("research/ask-1", {{"answer", "no"}, {"by", "kim"}});
  run.failed("research/2", "context", "too\nlong");
  const auto fact = [&](const char* name, std::int64_t number) {
    Moment moment{run.state, &pinned.workflow.phases[1]};
    moment.item_number = number;
    return run_fact(pinned, moment, name);
  };
  EXPECT_EQ(fact("own_directives", 1)[0]["answer"], "no");
  EXPECT_EQ(fact("own_directives", 2), Json::array());
  EXPECT_EQ(fact("directives", 2).size(), 1U);
  EXPECT_EQ(fact("iteration", 0), 1);
  EXPECT_EQ(fact("iterations", 0), Json::parse(R"({"plan":1,"parser":1,"printer":1})"));
  EXPECT_EQ(fact("escalations", 0), Json::parse(R"({"printer":"L2|too long"})"));
  EXPECT_EQ(fact("lessons", 0), Json::parse(R"(["printer: research/2 went up to L2: too long"])"));
}

TEST(RulesTest, SectionsReachWhomTheyConcern) {
  Pinned pinned = pinned_items({fanout({"parser", "printer"}, 2)});
  Value insights;
  insights.name = "insights";
  insights.kind = Value::Kind::sections;
  insights.of = "x";
  pinned.workflow.values = {insights};
  RunForTest run(pinned);
  run.start({{"values", {{"insights", Json::parse(R"({"all":["a"],"parser":["b"],"scout":["c"],"other":["d"]})")}}}});
  run.serve();
  Moment moment{run.state, &pinned.workflow.phases[0]};
  moment.item_number = 1;
  const Source source{Source::Kind::value, "insights", {}, {}};
  EXPECT_EQ(value_of(pinned, moment, source), Json::parse(R"(["a","b","c"])"));
  moment.item_number = 2;
  EXPECT_EQ(value_of(pinned, moment, source), Json::parse(R"(["a","c"])"));
}

TEST(RetrospectTest, TheWorstComesFirst) {
  Pinned pinned = pinned_for_test({agent_phase("plan"), agent_phase("build")});
  pinned.workflow.loops["again"] = loop_for_test("again", 3, Loop::Then::block);
  RunState state;
  state.escalated = {{"plan", "L0|slow"}, {"build", "L2|lost"}};
  state.loops["again"] = 1;
  state.warnings.push_back({.about = "build.1", .text = "builder changed what its role may not write: x"});
  const auto findings = findings_of(pinned, state);
  ASSERT_EQ(findings.size(), 4U);
  EXPECT_EQ(findings[0].severity, Severity::high);
  EXPECT_EQ(findings[1].severity, Severity::high);
  EXPECT_EQ(findings[2].text, "the loop again was taken 1 of at most 3 times");
  EXPECT_EQ(findings[3].text, "plan went up to L0: slow");
  EXPECT_EQ(lessons_of(pinned, state).size(), 2U);
}

}  // namespace
}  // namespace teamster::workflow
