// Whom a workflow can still ask from a phase on, and that whoever it cannot goes.
#include "workflow/core/reach.h"

#include <gtest/gtest.h>

#include "workflow/core/run_for_test.h"

namespace teamster::workflow {
namespace {

using Names = std::set<std::string>;

Reach reach_at(const Pinned& pinned, std::size_t index, const RunState& state = {}) {
  return reach_from(pinned, state, pinned.workflow.phases[index]);
}

TEST(ReachTest, IsThePhaseAndWhatComesBehindIt) {
  const Pinned pinned = pinned_for_test({agent_phase("a", "one"), agent_phase("b", "two"), agent_phase("c", "three")});
  EXPECT_EQ(reach_at(pinned, 0).roles, (Names{"one", "two", "three"}));
  EXPECT_EQ(reach_at(pinned, 1).roles, (Names{"two", "three"}));
  EXPECT_EQ(reach_at(pinned, 2).roles, (Names{"three"}));
}

TEST(ReachTest, FollowsEveryWayBackAndAhead) {
  Phase last = agent_phase("c", "three");
  last.on = {way_to("a", {{"good", false}}, "again")};
  Pinned pinned = pinned_for_test({agent_phase("a", "one"), agent_phase("b", "two"), last, agent_phase("d", "four")});
  pinned.workflow.loops["again"] = loop_for_test("again", 2, Loop::Then::block);
  EXPECT_EQ(reach_at(pinned, 2).roles, (Names{"one", "two", "three", "four"}));
  EXPECT_EQ(reach_at(pinned, 3).roles, (Names{"four"}));
  Way to_done = way_to("");
  to_done.end = Way::End::done;
  pinned.workflow.phases[1].on = {to_done};
  EXPECT_EQ(reach_at(pinned, 1).roles, (Names{"two"})) << "nothing follows";
  pinned.workflow.always = {way_to("d", {{"good", false}})};
  EXPECT_EQ(reach_at(pinned, 1).roles, (Names{"two", "four"}));
}

TEST(ReachTest, KnowsWhereSpentLoopsAndOwnersLead) {
  Phase judge = agent_phase("judge", "one");
  judge.on = {way_to("judge", {}, "again")};
  for (const auto then : {Loop::Then::accept, Loop::Then::escalate, Loop::Then::block}) {
    Pinned pinned = pinned_for_test({judge, agent_phase("next", "two")});
    pinned.workflow.loops["again"] = loop_for_test("again", 2, then);
    EXPECT_EQ(reach_at(pinned, 0).roles.count("two"), then == Loop::Then::block ? 0U : 1U);
  }
  Pinned pinned = pinned_for_test({judge, agent_phase("next", "two"), agent_phase("end", "three")});
  pinned.workflow.loops["again"] = loop_for_test("again", 2, Loop::Then::go);
  pinned.workflow.loops["again"].target = "end";
  EXPECT_EQ(reach_at(pinned, 0).roles, (Names{"one", "three"}));
}

TEST(ReachTest, TellsMembersOfItemsFromOthersAndCountsMergesAndAdvisors) {
  Phase phase = fanout({"a"}, 1);
  phase.merge = "chief";
  phase.ladder.advisor = "wise";
  const Pinned pinned = pinned_items({phase, agent_phase("end", "one")});
  const Reach reach = reach_at(pinned, 0);
  EXPECT_EQ(reach.roles, (Names{"chief", "wise", "one"}));
  EXPECT_TRUE(reach.has("scout-2", "scout"));
  EXPECT_FALSE(reach.has("scout", "scout")) << "nobody of that name would be asked";
  EXPECT_FALSE(reach_at(pinned, 1).has("scout-2", "scout"));
}

TEST(ReachTest, LeavesOutWhatArgumentsRuleOutAndNothingElse) {
  Phase by_argument = agent_phase("b", "two");
  by_argument.only = {{"args/deep", "yes"}};
  Phase by_answer = agent_phase("c", "three");
  by_answer.only = {{"a/deep", true}};
  const Pinned pinned = pinned_for_test({agent_phase("a", "one"), by_argument, by_answer});
  RunState state;
  state.args = {{"deep", "no"}};
  EXPECT_EQ(reach_at(pinned, 0, state).roles, (Names{"one", "three"}));
  state.args = {{"deep", "yes"}};
  EXPECT_EQ(reach_at(pinned, 0, state).roles, (Names{"one", "two", "three"}));
}

Pinned with_crew(std::vector<Phase> phases, bool starts_together = false) {
  Pinned pinned = pinned_items(std::move(phases));
  pinned.workflow.team.name = "crew";
  pinned.workflow.team.scope = Team::Scope::run;
  pinned.workflow.team.starts_together = starts_together;
  return pinned;
}

TEST(RosterTest, AllAreOnItWithTheTeamAndBeginWithTheirFirstTurns) {
  for (const bool together : {false, true}) {
    RunForTest run(with_crew({agent_phase("a", "one"), agent_phase("b", "two")}, together));
    run.happens({event::Started{}});
    std::string members;
    for (const auto& member : run.open_fields("team")["members"])
      members += member["name"].get<std::string>() + (member.value("later", false) ? " later " : " ");
    EXPECT_EQ(members, together ? "lead one two " : "lead one later two later ");
    EXPECT_EQ(run.state.members.size(), 2U);
  }
}

TEST(RosterTest, ThatOfAPhaseHasWhoBeginsWithTheFirstItems) {
  Phase phase = fanout({"a", "b", "c"}, 2);
  phase.roles = {"scout", "reader"};
  phase.team.name = "lookers";
  phase.team.scope = Team::Scope::phase;
  Pinned pinned = pinned_items({phase});
  pinned.workflow.roles["reader"].name = "reader";
  RunForTest run(pinned);
  run.start();
  std::vector<std::string> names;
  for (const auto& member : run.open_fields("research/team")["members"]) names.push_back(member["name"]);
  EXPECT_EQ(names, (std::vector<std::string>{"lead", "scout-1", "reader-1"}));
  run.settle(event::TeamReady{}, "research/team");
  run.serve();
  EXPECT_EQ(run.said("research/1", "member"), "scout-1");
  EXPECT_EQ(run.said("research/2", "member"), "reader-1");
  EXPECT_EQ(run.said("research/2", "team"), "lookers");
}

TEST(RetireTest, WhoeverNoWayLeadsToGoesAndTheOthersStay) {
  Phase check = agent_phase("check", "two");
  check.on = {way_to("build", {{"good", false}}, "again")};
  Pinned pinned = with_crew({agent_phase("plan", "one"), agent_phase("build", "two"), check, agent_phase("end", "three")});
  pinned.workflow.loops["again"] = loop_for_test("again", 2, Loop::Then::block);
  RunForTest run(pinned);
  run.start();
  run.done("plan");
  EXPECT_EQ(run.decided(), "settle plan · enter build · turn build.1 · retire one/retire.1");
  EXPECT_EQ(run.state.members.count("one"), 0U);
  run.done("build");
  EXPECT_EQ(run.decided(), "settle build · enter check · turn check.1") << "a loop may lead to its member";
  run.done("check", {{"good", true}});
  EXPECT_EQ(run.decided(), "settle check · enter end · turn end.1 · retire two/retire.1");
  run.done("one/retire");
  EXPECT_TRUE(run.commands.empty());
  run.failed("two/retire", "failed");
  EXPECT_TRUE(run.commands.empty()) << "it holds up nothing";
  run.done("end");
  run.finish();
}

TEST(RetireTest, NotWhileItWaitsForAnAnswer) {
  RunForTest run(with_crew({agent_phase("plan", "one"), agent_phase("build", "two"), agent_phase("end", "two")}));
  run.start();
  run.happens({event::Asked{.member = "one", .team = "crew", .message = 7, .text = "Which?"}});
  run.done("plan");
  EXPECT_EQ(run.decided(), "settle plan · enter build · turn build.1");
  run.done("plan/ask-1", {{"answer", "left"}, {"by", "kim"}});
  run.done("plan/ask-1/reply");
  run.done("build");
  EXPECT_EQ(run.decided(), "settle build · enter end · turn end.1 · retire one/retire.1");
}

TEST(RetireTest, ATeamThatStartsTogetherGoesTogether) {
  RunForTest run(with_crew({agent_phase("plan", "one"), agent_phase("end", "two")}, true));
  run.start();
  run.done("plan");
  EXPECT_EQ(run.decided(), "settle plan · enter end · turn end.1");
}

TEST(RetireTest, AReopenedRunAsksItAgain) {
  RunForTest run(with_crew({agent_phase("plan", "one"), agent_phase("end", "two")}));
  run.start();
  run.done("plan");
  run.failed("end", "login");
  run.done("end/stuck", {{"answer", "abort"}, {"by", "kim"}});
  run.finish();
  run.happens({event::Reopened{.from = "plan"}});
  run.settle(event::TeamReady{}, "team");
  EXPECT_EQ(run.said("plan", "member"), "one");
  EXPECT_TRUE(run.open_fields("plan")["first"]);
}

}  // namespace
}  // namespace teamster::workflow
