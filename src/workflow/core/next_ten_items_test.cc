// Ten items on three members: two fail their check once, one three times, some wait for others. Exactly these turns,
// and the same whenever the engine is killed.
#include <gtest/gtest.h>

#include "workflow/core/run_for_test.h"

namespace teamster::workflow {
namespace {

// 4 and 7 fail their check once, 5 three times; 8 and 9 wait for 5, and 10 for 9.
Pinned ten_items() {
  Phase phase = fanout({}, 3);
  phase.items->source = Source{Source::Kind::argument, "items", {}, {}};
  phase.check = Check{"make check-{{item/id}}", {}, {}, {}, {}};
  phase.pass = {{"status", "PASS"}};
  phase.merge = "editor";
  phase.merge_template = "merge.md";
  return pinned_items({phase, agent_phase("commit", "editor")});
}

Json ten_arguments() {
  return Json::parse(R"({"args":{"items":[
      {"id":"i1"},{"id":"i2"},{"id":"i3"},{"id":"i4"},{"id":"i5"},{"id":"i6"},{"id":"i7"},
      {"id":"i8","blocked_by":["i5"]},{"id":"i9","blocked_by":["i5","i1"]},{"id":"i10","blocked_by":["i9"]}]}})");
}

// An engine whose agents do all that they are told, and whose checks fail as often as they are to.
class TenItems {
 public:
  RunForTest run{ten_items()};
  std::map<std::string, int> to_fail = {{"i4", 1}, {"i5", 3}, {"i7", 1}};

  void start() { run.start(ten_arguments()); }
  // The first open effect that is not a question. False: there is none.
  bool step() {
    for (const auto& [id, open] : run.state.open) {
      const std::string step = open.step;
      if (open.is<command::Ask>()) continue;
      if (open.is<command::Turn>())
        run.done(step, {{"status", "PASS"}, {"of", step}});
      else if (const auto* check = open.as<command::Check>())
        run.done(step, {{"passed", to_fail[check->shell.command.substr(11)]-- <= 0}, {"output", "red"}});
      else if (open.is<command::EndTeam>())
        run.settle(event::TeamGone{}, step);
      else if (const auto* end = open.as<command::End>())
        run.happens({event::Ended{end->status, end->reason}});
      else
        run.serve();
      return true;
    }
    return false;
  }
  void go() {
    while (!testing::Test::HasFailure() && step()) {
    }
  }
  // "research/4.2 scout-1 mend": each turn that was said, by step.
  std::map<std::string, std::vector<std::string>> turns() const {
    std::map<std::string, std::vector<std::string>> said;
    for (const auto& record : run.records)
      for (const auto& command : record.commands)
        if (const auto* turn = command.as<command::Turn>())
          said[command.step].push_back(turn->rung.empty() ? "first" : turn->rung);
    return said;
  }
  std::map<std::int64_t, int> times_passed() const {
    std::map<std::int64_t, int> times;
    for (const auto& record : run.records)
      for (const auto& command : record.commands)
        if (const auto* item = command.as<command::ItemDone>(); item != nullptr && item->status == "passed")
          ++times[item->number];
    return times;
  }
};

using Rungs = std::vector<std::string>;

TEST(TenItemsTest, ExactlyTheTurnsThatAreNeededAndTheOwnersAnswerFinishesIt) {
  TenItems ten;
  ten.start();
  ten.go();
  const Rungs once = {"first"};
  const Rungs mended = {"first", "mend"};
  EXPECT_EQ(ten.turns(), (std::map<std::string, Rungs>{{"research/1", once},
                                                       {"research/2", once},
                                                       {"research/3", once},
                                                       {"research/4", mended},
                                                       {"research/5", {"first", "mend", "fresh"}},
                                                       {"research/6", once},
                                                       {"research/7", mended}}));
  EXPECT_EQ(ten.run.open_ids(), ids({"research/5/stuck.1"})) << "parked, with a question";
  EXPECT_EQ(ten.run.said("research/5/stuck", "text"),
            "research/5 cannot go on: its check failed. It printed:\nred. Tried: told what is missing 1×, given to a "
            "fresh agent 1×. Waiting for it: i8, i9, i10.");
  EXPECT_EQ(ten.run.open_fields("research/5/stuck")["options"], Json::parse(R"(["again","skip","abort"])"));
  EXPECT_EQ(ten.run.find_open("research/merge"), nullptr);
  ten.run.done("research/5/stuck", {{"answer", "again"}, {"by", "kim"}});
  ten.go();
  EXPECT_EQ(ten.turns()["research/5"], (Rungs{"first", "mend", "fresh", "fresh"}));
  for (const char* step : {"research/8", "research/9", "research/10", "research/merge", "commit"})
    EXPECT_EQ(ten.turns()[step], once) << step;
  EXPECT_EQ(ten.run.state.status, status::kDone);
  const auto times = ten.times_passed();
  EXPECT_EQ(times.size(), 10U);
  for (const auto& [number, passed] : times) EXPECT_EQ(passed, 1) << number;
}

TEST(TenItemsTest, NeverMoreThanThreeAtOnceAndNobodyHasTwo) {
  TenItems ten;
  ten.start();
  while (ten.step()) {
    std::set<std::string> members;
    int turns = 0;
    for (const auto& [id, open] : ten.run.state.open)
      if (const auto* turn = open.as<command::Turn>()) {
        ++turns;
        members.insert(turn->member);
      }
    EXPECT_LE(turns, 3);
    EXPECT_EQ(static_cast<int>(members.size()), turns);
  }
}

TEST(TenItemsTest, WhatIsLeftOutTakesAlongWhatWaitsForIt) {
  TenItems ten;
  ten.start();
  ten.go();
  ten.run.done("research/5/stuck", {{"answer", "skip"}, {"by", "kim"}});
  EXPECT_EQ(
      ten.run.decided(),
      "item_done 5 failed · finish_task research/5/task.1 · item_done 8 failed · finish_task research/8/task.1 · "
      "item_done 9 failed · finish_task research/9/task.1 · item_done 10 failed · finish_task research/10/task.1");
  EXPECT_EQ(ten.run.open_fields("research/10/task"), Json::parse(R"({"team":"w-20261116-1a2b","task":"task-10",
      "status":"failed","why":"it waits for i5, which has failed"})"));
  EXPECT_EQ(ten.run.state.items.find(5)->why, "left out by the owner");
  ten.go();
  EXPECT_EQ(ten.run.state.status, status::kDone);
  EXPECT_EQ(ten.turns().count("research/8") + ten.turns().count("research/10"), 0U);
  EXPECT_EQ(ten.turns().count("research/merge"), 1U) << "of what has passed";
}

// The same records, folded from the beginning after each of them, go on to the same end. RunForTest does it from one
// record to the next; here a new run goes on from every point.
TEST(TenItemsTest, KilledAfterAnyRecordItGoesOnAlike) {
  TenItems whole;
  whole.start();
  whole.go();
  whole.run.done("research/5/stuck", {{"answer", "again"}, {"by", "kim"}});
  whole.go();
  ASSERT_TRUE(whole.run.state.has_ended());
  const Pinned pinned = ten_items();
  for (std::size_t cut = 0; cut <= whole.run.records.size(); cut += 7) {
    RunState state;
    for (std::size_t i = 0; i < cut; ++i) apply(state, whole.run.records[i]);
    for (std::size_t i = cut; i < whole.run.records.size(); ++i) {
      const RunRecord record = advance(pinned, state, whole.run.records[i].event);
      ASSERT_EQ(body_of(record), body_of(whole.run.records[i])) << "killed after " << cut << ", at " << i;
    }
    EXPECT_EQ(to_json(state), to_json(whole.run.state)) << cut;
  }
}

// --- going back

Pinned going_back() {
  Phase build = fanout({}, 3);
  build.id = "build";
  build.title = "build";
  build.items->source = Source{Source::Kind::argument, "items", {}, {}};
  build.items->findings = Source{Source::Kind::answer, "review", {"findings"}, {}};
  build.items->finding_item = "item";
  build.template_file = "build.md";
  Phase review = agent_phase("review", "reviewer");
  review.on = {way_to("build", {{"ok", false}}, "rounds")};
  Pinned pinned = pinned_items({build, review, agent_phase("commit")});
  pinned.bundle["build.md"] = "Do {{ITEM}}. Findings: {{FINDINGS}}";
  pinned.workflow.loops["rounds"] = loop_for_test("rounds", 3, Loop::Then::block);
  return pinned;
}

const Json kThree = {{"args", {{"items", {{{"id", "a"}}, {{"id", "b"}}, {{"id", "c"}}}}}}};

TEST(GoingBackTest, RepeatsOnlyWhatFindingsName) {
  RunForTest run(going_back());
  run.start(kThree);
  run.serve();
  EXPECT_NE(run.said("build/1").find("Findings: none"), std::string::npos);
  for (const char* step : {"build/1", "build/2", "build/3"}) run.done(step, {{"of", step}});
  run.serve();
  run.done("review", Json::parse(R"({"ok":false,"findings":[{"item":"b","what":"too long"}]})"));
  EXPECT_EQ(run.decided(),
            "settle review · enter build · items  · item_done 1 passed · item_done 3 passed · "
            "make_tasks build/tasks.2");
  EXPECT_EQ(run.open_fields("build/tasks")["from"], 2);
  EXPECT_EQ(run.open_fields("build/tasks")["to"], 2);
  run.serve();
  EXPECT_EQ(run.open_ids(), ids({"build/2.2"}));
  EXPECT_NE(run.said("build/2").find("too long"), std::string::npos);
  EXPECT_NE(run.said("build/2").find("words of those who looked at the work]"), std::string::npos);
  run.done("build/2", {{"of", "again"}});
  run.serve();
  EXPECT_EQ(run.state.answers.at("build").value, Json::parse(R"([{"of":"build/1"},{"of":"again"},{"of":"build/3"}])"));
  // By its number, and once more: what was carried over stays so.
  run.done("review", Json::parse(R"({"ok":false,"findings":[{"item":3,"what":"too short"}]})"));
  run.serve();
  EXPECT_EQ(run.open_ids(), ids({"build/3.2"}));
}

TEST(GoingBackTest, RepeatsWhatDidNotPass) {
  RunForTest run(going_back());
  run.start(kThree);
  run.serve();
  run.done("build/1", "A");
  run.failed("build/2", "login");
  run.done("build/2/stuck", {{"answer", "skip"}});
  run.done("build/3", "C");
  run.serve();
  run.done("review", Json::parse(R"({"ok":false,"findings":[]})"));
  run.serve();
  EXPECT_EQ(run.open_ids(), ids({"build/2.2"}));
}

TEST(GoingBackTest, FindingsThatNameNobodyAreForAll) {
  for (const char* findings : {R"([{"what":"the names differ"}])", R"([{"item":"z","what":"the names differ"}])"}) {
    RunForTest run(going_back());
    run.start(kThree);
    run.serve();
    for (const char* step : {"build/1", "build/2", "build/3"}) run.done(step, "x");
    run.serve();
    run.done("review", {{"ok", false}, {"findings", Json::parse(findings)}});
    run.serve();
    EXPECT_EQ(run.open_ids(), ids({"build/1.2", "build/2.2", "build/3.2"}));
    EXPECT_NE(run.said("build/3").find("the names differ"), std::string::npos);
  }
}

TEST(GoingBackTest, WithoutFindingsEverythingIsDoneAgain) {
  RunForTest run(going_back());
  run.start(kThree);
  run.serve();
  for (const char* step : {"build/1", "build/2", "build/3"}) run.done(step, "x");
  run.serve();
  run.done("review", Json::parse(R"({"ok":false})"));
  run.serve();
  EXPECT_EQ(run.open_ids(), ids({"build/1.2", "build/2.2", "build/3.2"}));
}

// --- what is wrong with the items

TEST(ItemListTest, OneThatCannotBeDoneGoesBackToWhoMadeIt) {
  RunForTest run(pinned_items({agent_phase("plan", "planner"), [] {
                                 Phase phase = fanout({}, 2);
                                 phase.items->source = Source{Source::Kind::answer, "plan", {"items"}, {}};
                                 return phase;
                               }()}));
  run.start();
  run.done("plan", Json::parse(R"({"items":[{"id":"a","blocked_by":["b"]},{"id":"b","blocked_by":["a"]}]})"));
  EXPECT_EQ(run.decided(), "turn plan.2");
  EXPECT_EQ(run.said("plan", "rung"), "mend");
  EXPECT_EQ(run.said("plan", "why"), "nobody can work on what it lists: items: these items wait for each other: a, b");
  run.done("plan", Json::parse(R"({"items":[{"id":"a","blocked_by":["b"]},{"id":"b"}]})"));
  run.serve();
  EXPECT_EQ(run.state.items.find(1)->id, "b") << "the first that can be done has number 1";
  EXPECT_EQ(run.open_ids(), ids({"research/1.1"}));
}

// A login that is missing is asked for by as many as work at once, not by every item.
TEST(ItemListTest, TroubleOfAllIsNotAskedAboutForAll) {
  RunForTest run(pinned_items({fanout({"a", "b", "c", "d", "e"}, 2)}));
  run.start();
  run.serve();
  run.failed("research/1", "login");
  run.failed("research/2", "login");
  EXPECT_EQ(run.open_ids(), ids({"research/1/stuck.1", "research/2/stuck.1"}));
  run.done("research/2/stuck", {{"answer", "same"}});
  EXPECT_EQ(run.said("research/2", "member"), "scout-2");
  run.done("research/2", "B");
  EXPECT_EQ(run.said("research/3", "member"), "scout-2") << "scout-1 waits for its answer";
}

TEST(ItemListTest, WordsThatAreMissingAreAskedForOnce) {
  Phase phase = fanout({"a", "b", "c", "d", "e"}, 2);
  phase.inputs["NOTES"].name = "NOTES";
  phase.inputs["NOTES"].sources = {{Source::Kind::value, "notes", {}, {}}};
  RunForTest run(pinned_items({phase}));
  run.start();
  run.serve();
  EXPECT_EQ(run.open_ids(), ids({"research/1/stuck.1", "research/2/stuck.1"})) << "by as many as work at once";
  run.done("research/1/stuck", {{"answer", "again"}});
  EXPECT_EQ(run.open_ids(), ids({"research/1/stuck.2", "research/2/stuck.1"}));
}

TEST(ItemListTest, TheSameAgentIsNotAskedWhileItDoesSomethingElse) {
  Phase phase = fanout({"a", "b"}, 1);
  phase.ladder.fresh = 0;
  RunForTest run(pinned_items({phase}));
  run.start();
  run.serve();
  run.failed("research/1", "crashed");
  run.failed("research/1", "crashed");
  EXPECT_EQ(run.decided(), "ask research/1/stuck.1 · turn research/2.1") << "others need not wait for the owner";
  EXPECT_EQ(run.said("research/2", "member"), "scout-1");
  run.done("research/1/stuck", {{"answer", "same"}});
  EXPECT_EQ(run.said("research/1", "member"), "scout-fresh-1-3");
}

}  // namespace
}  // namespace teamster::workflow
