// Runs below a run: one alone, or one for each item.
#include <gtest/gtest.h>

#include "workflow/core/run_for_test.h"

namespace teamster::workflow {
namespace {

TEST(SubRunTest, OneAfterTheOtherForEachItem) {
  Phase each = fanout({}, 0);
  each.kind = Phase::Kind::workflow;
  each.role.clear();
  each.items->source = Source{Source::Kind::argument, "specs", {}, {}};
  each.workflow = "implement-spec";
  each.with = {{"spec", "{{item}}"}};
  RunForTest run(pinned_items({each}));
  run.start({{"args", {{"specs", {"01", "02"}}}}});
  EXPECT_EQ(run.decided(), "enter research · items  · sub_run research/1.1");
  EXPECT_EQ(run.open_fields("research/1"), Json::parse(R"({"workflow":"implement-spec","args":{"spec":"01"}})"));
  run.done("research/1", {{"status", "done"}});
  EXPECT_EQ(run.decided(), "item_done 1 passed · sub_run research/2.1");
  run.done("research/2", {{"status", "done"}});
  EXPECT_EQ(run.state.answers.at("research").value, Json::parse(R"([{"status":"done"},{"status":"done"}])"));
}

TEST(SubRunTest, OneThatIsBlockedIsTheOwnersMatter) {
  Phase each = fanout({"01", "02"}, 0);
  each.kind = Phase::Kind::workflow;
  each.role.clear();
  each.workflow = "implement-spec";
  RunForTest run(pinned_items({each}));
  run.start();
  run.failed("research/1", "blocked", "implement-spec-20261116-0001 is blocked");
  EXPECT_EQ(run.decided(), "ask research/1/stuck.1") << "those behind it are begun in their order";
  EXPECT_EQ(run.open_fields("research/1/stuck")["outcomes"]["skip"],
            "goes on without it; what waits for it is left out, too");
  run.done("research/1/stuck", {{"answer", "again"}});
  EXPECT_EQ(run.decided(), "sub_run research/1.2");
  run.failed("research/1", "blocked", "implement-spec-20261116-0002 is blocked");
  run.done("research/1/stuck", {{"answer", "skip"}});
  EXPECT_EQ(run.decided(), "item_done 1 failed · sub_run research/2.1");
  run.done("research/2", {{"status", "done"}});
  EXPECT_EQ(run.state.answers.at("research").value, Json::parse(R"([{"status":"done"}])"));
}

TEST(SubRunTest, GoesWithTheRunThatStartedIt) {
  Phase one = phase_for_test(Phase::Kind::workflow, "build");
  one.workflow = "implement-spec";
  RunForTest run(pinned_items({one, agent_phase("after")}));
  run.start();
  run.happens({event::CancelAsked{{.by = "ada"}}});
  EXPECT_EQ(run.decided(), "end_sub_run build/end.1 · end_team end-w-20261116-1a2b.1");
  EXPECT_EQ(run.open_fields("build/end")["of"], "build.1");
  run.happens({event::Done{.answer = {{"status", "done"}}}, "build", 1});
  EXPECT_TRUE(run.commands.empty()) << "too late";
  run.settle(event::TeamGone{}, "end-w-20261116-1a2b");
  EXPECT_EQ(run.open_ids(), ids({"build/end.1"})) << "it is waited for";
  run.done("build/end");
  EXPECT_EQ(run.decided(), "end end.1");
  run.finish();
  EXPECT_EQ(run.state.status, status::kCancelled);
}

TEST(SubRunTest, OneThatCannotBeEndedKeepsNobody) {
  Phase one = phase_for_test(Phase::Kind::workflow, "build");
  one.workflow = "implement-spec";
  RunForTest run(pinned_items({one, agent_phase("after")}));
  run.start();
  run.happens({event::CancelAsked{{.by = "ada"}}});
  run.failed("build/end", "failed", "it is held");
  EXPECT_EQ(run.open_ids(), ids({"end-w-20261116-1a2b.1"}));
  run.finish();
  EXPECT_EQ(run.state.status, status::kCancelled);
}

TEST(SubRunTest, OneAlone) {
  Phase one = phase_for_test(Phase::Kind::workflow, "build");
  one.workflow = "implement-spec";
  one.with = {{"spec", "{{args/spec}}"}};
  RunForTest run(pinned_items({one}));
  run.start({{"args", {{"spec", "07"}}}});
  EXPECT_EQ(run.open_fields("build")["args"], Json::parse(R"({"spec":"07"})"));
  run.done("build", {{"commit", "abc"}});
  EXPECT_EQ(run.state.answers.at("build").value, Json::parse(R"({"commit":"abc"})"));
}

}  // namespace
}  // namespace teamster::workflow
