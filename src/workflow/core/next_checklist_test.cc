// Items that a Markdown checklist has: read group by group, ticked one by one.
#include <gtest/gtest.h>

#include "workflow/core/run_for_test.h"

namespace teamster::workflow {
namespace {

Phase checklist() {
  Phase phase = fanout({}, 2);
  phase.items->checklist = "{{args/file}}";
  phase.items->group = "[P]";
  return phase;
}

const Json kFileArgument = {{"args", {{"file", "tasks.md"}}}};

TEST(ChecklistTest, IsReadAgainUntilNothingIsLeftAndTickedOneByOne) {
  Phase phase = checklist();
  phase.check = Check{"make test", {}, {}, {}, {}};
  RunForTest run(pinned_items({phase}));
  run.start(kFileArgument);
  EXPECT_EQ(run.decided(), "enter research · read_items research/items.1");
  EXPECT_EQ(run.open_fields("research/items"), Json::parse(R"({"checklist":"tasks.md","group":"[P]"})"));
  run.done("research/items", Json::parse(R"([{"number":1,"text":"a"},{"number":2,"text":"b"}])"));
  EXPECT_EQ(run.decided(), "items  · make_tasks research/tasks.1");
  run.serve();
  run.done("research/2", "B");
  EXPECT_EQ(run.decided(), "check research/2/check.1");
  run.done("research/2/check", {{"passed", true}});
  EXPECT_EQ(run.decided(), "tick research/2/tick.1") << "only now that its check passed";
  EXPECT_EQ(run.open_fields("research/2/tick"), Json::parse(R"({"checklist":"tasks.md","number":2,"text":"b"})"));
  run.done("research/2/tick");
  EXPECT_EQ(run.decided(), "item_done 2 passed · finish_task research/2/task.1");
  run.done("research/1", "A");
  run.done("research/1/check", {{"passed", true}});
  run.failed("research/1/tick", "check", "tasks.md: there is no such item");
  EXPECT_EQ(run.said("research/1", "rung"), "mend") << "who did the item mends its list";
  run.done("research/1", "A");
  run.done("research/1/check", {{"passed", true}});
  run.serve();
  EXPECT_EQ(run.open_ids(), ids({"research/items.2"})) << "the next group";
  run.done("research/items", Json::parse(R"([{"number":3,"text":"c"}])"));
  EXPECT_EQ(run.open_fields("research/tasks"), Json::parse(R"({"team":"w-20261116-1a2b","from":3,"to":3})"));
  run.serve();
  run.done("research/3", "C");
  run.done("research/3/check", {{"passed", true}});
  run.serve();
  run.done("research/items", Json::array());
  EXPECT_EQ(run.state.ending, status::kDone);
  EXPECT_EQ(run.state.answers.at("research").value, Json::parse(R"(["A","B","C"])"));
}

TEST(ChecklistTest, GoesOnAloneWhenTheTaskListOfTheTeamCannotBeRead) {
  RunForTest run(pinned_items({checklist()}));
  run.start(kFileArgument);
  run.done("research/items", Json::parse(R"([{"number":1,"text":"a"}])"));
  run.failed("research/tasks", "failed", "the store is damaged");
  ASSERT_EQ(run.state.warnings.size(), 1U);
  EXPECT_EQ(run.state.warnings.front().text,
            "WARNING: The task list of team w-20261116-1a2b cannot be used: the store is damaged\n"
            "Falling back to the checklist alone.");
  run.done("research/1", "A");
  EXPECT_EQ(run.decided(), "tick research/1/tick.1");
  run.done("research/1/tick");
  run.done("research/items", Json::array());
  EXPECT_EQ(run.state.ending, status::kDone);
}

TEST(ChecklistTest, WhatTheOwnerLeavesOutIsNotReadAgain) {
  RunForTest run(pinned_items({checklist()}));
  run.start(kFileArgument);
  run.done("research/items", Json::parse(R"([{"number":4,"text":"a"},{"number":5,"text":"b"}])"));
  run.serve();
  run.failed("research/1", "login");
  run.done("research/1/stuck", {{"answer", "skip"}});
  EXPECT_EQ(run.decided(), "item_done 1 failed · finish_task research/1/task.1");
  run.done("research/2", "B");
  run.serve();
  EXPECT_EQ(run.open_fields("research/items"), Json::parse(R"({"checklist":"tasks.md","group":"[P]","left_out":[4]})"));
}

TEST(ChecklistTest, FewOfAGroupAreDoneByOneMember) {
  Phase phase = checklist();
  phase.items->at_least = 2;
  phase.team.name = "scouts";
  phase.team.scope = Team::Scope::phase;
  RunForTest run(pinned_items({phase}));
  run.start(kFileArgument);
  run.done("research/items", Json::parse(R"([{"number":1,"text":"a"},{"number":2,"text":"b"}])"));
  EXPECT_EQ(run.decided(), "items  · make_team research/team.1");
  run.settle(event::TeamReady{}, "research/team");
  run.serve();
  EXPECT_EQ(run.open_ids(), ids({"research/1.1", "research/2.1"}));
  run.done("research/1");
  run.done("research/2");
  run.serve();
  EXPECT_EQ(run.open_ids(), ids({"research/end-group.1"})) << "its team goes before the next is read";
  run.settle(event::TeamGone{}, "research/end-group");
  run.done("research/items", Json::parse(R"([{"number":3,"text":"c"}])"));
  run.serve();
  EXPECT_EQ(run.open_ids(), ids({"research/3.1"}));
  EXPECT_EQ(run.said("research/3", "team"), "w-20261116-1a2b") << "one is too few for a team";
}

TEST(ChecklistTest, WithoutATeamAFewAreStillDoneAtTheSameTime) {
  Phase phase = checklist();
  phase.items->members = 0;
  phase.items->members_text = "{{args/members}}";
  phase.team.name = "scouts";
  phase.team.scope = Team::Scope::phase;
  phase.team.at_least = 3;
  RunForTest run(pinned_items({phase}));
  run.start({{"args", {{"file", "tasks.md"}, {"members", "3"}}}});
  run.done("research/items", Json::parse(R"([{"number":1,"text":"a"},{"number":2,"text":"b"}])"));
  EXPECT_EQ(run.decided(), "items  · make_tasks research/tasks.1") << "neither a team nor a warning";
  run.serve();
  EXPECT_EQ(run.open_ids(), ids({"research/1.1", "research/2.1"}));
}

TEST(ChecklistTest, BoxesAreCountedAndOnlyTheEngineTicks) {
  const Pinned pinned = pinned_items({checklist()});
  RunForTest run(pinned);
  run.start(kFileArgument);
  const auto fact = [&](const char* name) {
    return value_of(pinned, {run.state}, Source{.kind = Source::Kind::run, .name = name, .path = {}, .where = {}});
  };
  EXPECT_TRUE(fact("ticked").is_null()) << "nobody has looked";
  run.done("research/items", Json::parse(R"({"items":[{"number":3,"text":"c"}],"boxes":5,"ticked":2})"));
  EXPECT_EQ(fact("ticked"), 2);
  EXPECT_EQ(fact("boxes"), 5);
  run.serve();
  run.done("research/1", "C");
  run.serve();
  EXPECT_EQ(run.open_ids(), ids({"research/items.2"}));
  run.done("research/items", Json::parse(R"({"items":[{"number":5,"text":"e"}],"boxes":5,"ticked":4})"));
  EXPECT_EQ(run.decided(), "ask research/items/stuck.1") << "somebody else has ticked one";
  run.done("research/items/stuck", {{"answer", "again"}});
  EXPECT_EQ(run.decided(), "read_items research/items.3");
  run.done("research/items", Json::parse(R"({"items":[{"number":5,"text":"e"}],"boxes":5,"ticked":4})"));
  EXPECT_EQ(run.decided(), "items  · make_tasks research/tasks.2") << "the owner knows";
  run.serve();
  run.done("research/2", "E");
  run.serve();
  run.done("research/items", Json::parse(R"({"items":[],"boxes":5,"ticked":5})"));
  EXPECT_EQ(run.state.ending, status::kDone);
}

TEST(ChecklistTest, WhereTheListOfTasksCannotBeUsedTheFileIsFollowedAlone) {
  RunForTest run(pinned_items({checklist()}));
  run.start(kFileArgument);
  run.done("research/items", Json::parse(R"([{"number":1,"text":"a"}])"));
  run.failed("research/tasks", "failed", "the list is unreadable");
  EXPECT_EQ(run.decided(), "warn  · turn research/1.1");
  ASSERT_EQ(run.state.warnings.size(), 1U) << "it is in the journal";
  EXPECT_NE(run.state.warnings[0].text.find("the list is unreadable"), std::string::npos);
  run.done("research/1", "A");
  run.done("research/1/tick");
  run.done("research/items", Json::parse(R"([{"number":2,"text":"b"}])"));
  EXPECT_EQ(run.decided(), "items  · turn research/2.1") << "nobody is warned again";
}

TEST(ChecklistTest, OneThatIsBrokenOrMissing) {
  RunForTest broken(pinned_items({checklist()}));
  broken.start(kFileArgument);
  broken.done("research/items", "no list");
  EXPECT_EQ(broken.state.ending, status::kDone) << "as if it were empty";
  RunForTest missing(pinned_items({checklist()}));
  missing.start(kFileArgument);
  missing.failed("research/items", "", "there is no tasks.md");
  EXPECT_EQ(missing.decided(), "ask research/items/stuck.1");
  missing.done("research/items/stuck", {{"answer", "again"}});
  EXPECT_EQ(missing.decided(), "read_items research/items.2");
}

}  // namespace
}  // namespace teamster::workflow
