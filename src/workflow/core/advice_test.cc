// Another task graph: when an advisor is asked, what it is told, and by which rules its proposal is used or refused.
#include "workflow/core/advice.h"

#include <gtest/gtest.h>

#include "workflow/core/run_for_test.h"

namespace teamster::workflow {
namespace {

// 1 has passed, 2 is under way, 3 is in trouble, 4 is parked, 5 waits.
struct Scene {
  RunItems items;
  std::map<std::string, RunTries> tries;

  Scene() {
    for (const char* id : {"a", "b", "c", "d", "e"}) items.add({{"id", id}, {"path", std::string(id) + ".c"}});
    items.begin(1);
    items.end(1, RunItem::Status::passed, "A", "");
    for (std::int64_t number = 2; number <= 4; ++number) items.begin(number);
    tries["research/3"].why = "it is too long";
    tries["research/3"].fresh = 1;
  }
  AdviceScene now() const {
    return {.items = items, .under_way = {0, 2}, .parked = {0, 4}, .tries = tries, .phase = "research"};
  }
  std::string outcome(const char* list) const {
    const auto graph = advised_items(now(), {{"items", Json::parse(list)}}, {"scout", "critic"});
    if (!graph) return graph.error().text();
    std::string text;
    for (const auto number : graph->replaced) text += std::to_string(number) + " ";
    for (const auto& item : graph->items) text += item.dump() + " ";
    return text;
  }
};

TEST(AdviceTest, AProposalThatKeepsTheRules) {
  const Scene scene;
  EXPECT_EQ(scene.outcome(R"([{"id":"c2","replaces":["c"],"blocked_by":["c1","b"]},
      {"id":"c1","replaces":["c","e"],"role":"critic","path":"c.c"}])"),
            R"(3 5 {"id":"c1","path":"c.c","role":"critic"} {"blocked_by":["c1","b"],"id":"c2"} )")
      << "split, merged and reordered; in an order in which they can be done";
  EXPECT_EQ(scene.outcome(R"([{"id":"x","replaces":["c","d","e"]}])"), R"(3 4 5 {"id":"x"} )")
      << "what is parked may be replaced, too";
  EXPECT_EQ(scene.outcome(R"([{"id":"x","replaces":["c","e"],"blocked_by":["d"]}])"),
            R"(3 5 {"blocked_by":["d"],"id":"x"} )")
      << "or waited for";
}

TEST(AdviceTest, EachRuleRefusesByName) {
  const Scene scene;
  EXPECT_EQ(scene.outcome(R"([])"), "there is no list of items in it");
  EXPECT_EQ(scene.outcome(R"([{"replaces":["c","e"]}])"), "an item has no id");
  EXPECT_EQ(scene.outcome(R"(["c"])"), "an item has no id");
  EXPECT_EQ(scene.outcome(R"([{"id":"e","replaces":["c","e"]}])"), "the id 'e' was there before");
  EXPECT_EQ(scene.outcome(R"([{"id":"x"}])"), "'x' replaces nothing");
  EXPECT_EQ(scene.outcome(R"([{"id":"x","replaces":["a"]}])"), "'x' replaces 'a', which is not left");
  EXPECT_EQ(scene.outcome(R"([{"id":"x","replaces":["b"]}])"), "'x' replaces 'b', which is not left");
  EXPECT_EQ(scene.outcome(R"([{"id":"x","replaces":["z"]}])"), "'x' replaces 'z', which is not left");
  EXPECT_EQ(scene.outcome(R"([{"id":"x","replaces":["c","e"],"role":"cook"}])"),
            "'x' is for a role that the phase does not have");
  EXPECT_EQ(scene.outcome(R"([{"id":"x","replaces":["c","e"],"blocked_by":["e"]}])"),
            "'x' is blocked by 'e', which is being replaced");
  EXPECT_EQ(scene.outcome(R"([{"id":"x","replaces":["e"]}])"), "nothing replaces 'c', which is left");
  EXPECT_EQ(scene.outcome(R"([{"id":"x","replaces":["c","e"],"blocked_by":["y"]}])"),
            "item 1 is blocked by 'y', and there is no such item");
  EXPECT_EQ(scene.outcome(R"([{"id":"x","replaces":["c"],"blocked_by":["y"]},
      {"id":"y","replaces":["e"],"blocked_by":["x"]}])"),
            "these items wait for each other: x, y");
  EXPECT_EQ(scene.outcome(R"([{"id":"x","replaces":["c"]},{"id":"x","replaces":["e"]}])"), "two items have the id 'x'");
  EXPECT_FALSE(advised_items(scene.now(), "no object", {}));
}

TEST(AdviceTest, TheRequestSaysWhatIsLeftAndWhy) {
  Scene scene;
  scene.items.add({{"id", "x\n- \"y\" (left)"}});
  const std::string text = advice_request(scene.now());
  for (const char* part :
       {"- \"a\" (passed)\n", "- \"b\" (active)\n", "- \"c\" (left)\n", "it need not be replaced", "- \"e\" (left)\n",
        "words of the engine, of the last try]\nit is too long\n[", R"({"id":"e","path":"e.c"})"})
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
  EXPECT_EQ(text.find("\n- \"y\""), std::string::npos) << "an id cannot pretend to be another line";
}

TEST(AdviceTest, TheSchemaIsBuiltIn) {
  ASSERT_NE(builtin_schema(kAdviceSchema), nullptr);
  EXPECT_TRUE(Json::parse(*builtin_schema(kAdviceSchema)).is_object());
  EXPECT_EQ(builtin_schema("answer.json"), nullptr);
}

// --- in a run

Pinned advisable() {
  Phase phase = fanout({}, 3);
  phase.items->source = Source{Source::Kind::argument, "items", {}, {}};
  Pinned pinned = pinned_items({phase, agent_phase("commit", "editor")});
  pinned.workflow.ladder.advisor = "advisor";
  pinned.workflow.roles["advisor"].name = "advisor";
  return pinned;
}

// c is at L2, and then b needs a fresh agent, too: that is L3. a is under way, d and e wait for b and for a place.
void in_trouble(RunForTest& run) {
  run.start(Json::parse(R"({"args":{"items":[{"id":"a"},{"id":"b"},{"id":"c"},
      {"id":"d","blocked_by":["b"]},{"id":"e"}]}})"));
  run.serve();
  run.failed("research/3", "context");
  EXPECT_EQ(run.said("research/3", "rung"), "fresh");
  run.failed("research/2", "context", "it is too long");
}

const Json kGoodAdvice = Json::parse(R"({"why":"b is two things","items":[
    {"id":"b1","replaces":["b"]},{"id":"b2","replaces":["b","d"],"blocked_by":["b1"]},{"id":"e1","replaces":["e"]}]})");

TEST(AdvisedRunTest, TwoAtTheSecondRungBringTheThird) {
  RunForTest run(advisable());
  in_trouble(run);
  EXPECT_EQ(run.decided(), "turn research/advice.1");
  EXPECT_EQ(run.said("research/advice", "member"), "advisor");
  EXPECT_EQ(run.said("research/advice", "schema"), kAdviceSchema);
  EXPECT_NE(run.said("research/advice").find("it is too long"), std::string::npos) << run.said("research/advice");
  run.done("research/1", "A");
  run.serve();
  EXPECT_EQ(run.open_ids(), ids({"research/3.2", "research/advice.1"})) << "the graph stays as it is meanwhile";
  run.done("research/advice", kGoodAdvice);
  EXPECT_EQ(run.decided(),
            "item_done 2 replaced · finish_task research/2/task.1 · item_done 4 replaced · "
            "finish_task research/4/task.1 · item_done 5 replaced · finish_task research/5/task.1 · "
            "items  · make_tasks research/tasks.2");
  run.serve();
  EXPECT_EQ(run.open_ids(), ids({"research/3.2", "research/6.1", "research/8.1"}));
  EXPECT_EQ(run.state.items.find(6)->id, "b1");
  EXPECT_EQ(run.state.items.find(7)->id, "b2") << "it waits for b1";
  run.done("research/6", "B1");
  run.done("research/8", "E1");
  run.done("research/3", "C");
  run.done("research/7", "B2");
  run.serve();
  EXPECT_EQ(run.state.answers.at("research").value, Json::parse(R"(["A","C","B1","B2","E1"])"));
  EXPECT_EQ(run.state.phase, "commit");
}

TEST(AdvisedRunTest, AdviceComesOnce) {
  RunForTest run(advisable());
  in_trouble(run);
  run.failed("research/3", "context");
  EXPECT_EQ(run.decided(), "ask research/3/stuck.1") << "who fails meanwhile is the owner's matter";
  run.done("research/advice", kGoodAdvice);
  run.serve();
  EXPECT_NE(run.find_open("research/3/stuck"), nullptr) << "it stays so, for the proposal does not replace it";
  run.failed("research/6", "context");
  EXPECT_EQ(run.said("research/6", "rung"), "fresh");
  run.failed("research/8", "context");
  EXPECT_EQ(run.said("research/8", "rung"), "fresh") << "not for ever";
}

TEST(AdvisedRunTest, WhatIsParkedMayBeReplaced) {
  RunForTest run(advisable());
  in_trouble(run);
  run.failed("research/3", "context");
  Json advice = kGoodAdvice;
  advice["items"].push_back(Json::parse(R"({"id":"c1","replaces":["c"]})"));
  run.done("research/advice", advice);
  EXPECT_EQ(run.decided().find("item_done 2 replaced · finish_task research/2/task.1 · withdraw research/3/stuck.1 · "
                               "item_done 3 replaced"),
            0U)
      << run.decided();
}

TEST(AdvisedRunTest, AProposalThatBreaksARuleIsToldWhich) {
  RunForTest run(advisable());
  in_trouble(run);
  const Json bad = Json::parse(R"({"items":[{"id":"b1","replaces":["b"]}]})");
  run.done("research/advice", bad);
  EXPECT_EQ(run.said("research/advice", "rung"), "mend");
  EXPECT_NE(run.said("research/advice").find("nothing replaces 'd', which is left"), std::string::npos);
  EXPECT_NE(run.said("research/advice").find("- \"d\" (left)"), std::string::npos) << "with the whole scene";
  run.done("research/advice", bad);
  EXPECT_EQ(run.said("research/advice", "member"), "advisor-fresh-3");
  run.done("research/advice", bad);
  EXPECT_EQ(run.open_fields("research/advice/stuck")["options"], Json::parse(R"(["again","skip","abort"])"));
  run.done("research/advice/stuck", {{"answer", "again"}});
  EXPECT_EQ(run.said("research/advice", "role"), "advisor");
  run.done("research/advice", kGoodAdvice);
  run.serve();
  EXPECT_EQ(run.state.items.find(2)->status, RunItem::Status::replaced);
}

TEST(AdvisedRunTest, WithoutItEachGoesOn) {
  RunForTest run(advisable());
  in_trouble(run);
  run.failed("research/advice", "login");
  run.done("research/advice/stuck", {{"answer", "skip"}});
  EXPECT_EQ(run.decided(), "turn research/2.2") << "who waited for it";
  EXPECT_EQ(run.said("research/2", "rung"), "fresh");
  EXPECT_EQ(run.said("research/2", "why"), "it is too long");
  run.done("research/1", "A");
  EXPECT_EQ(run.said("research/5", "rung"), "") << "and others begin again";
}

TEST(AdvisedRunTest, AMergeHasNoGraph) {
  Pinned pinned = advisable();
  pinned.workflow.phases[0].merge = "editor";
  pinned.workflow.phases[0].merge_template = "merge.md";
  RunForTest run(pinned);
  run.start(Json::parse(R"({"args":{"items":[{"id":"a"}]}})"));
  run.serve();
  run.done("research/1", "A");
  run.serve();
  run.failed("research/merge", "scope");
  EXPECT_EQ(run.said("research/merge", "rung"), "fresh");
}

}  // namespace
}  // namespace teamster::workflow
