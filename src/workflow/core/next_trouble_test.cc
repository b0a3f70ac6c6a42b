// What goes wrong beside the ladder: proofs, budgets, and what a crash left open.
#include <gtest/gtest.h>

#include "workflow/core/run_for_test.h"

namespace teamster::workflow {
namespace {

// --- proofs

Pinned with_proof() {
  Phase test = agent_phase("test", "tester");
  test.check = Check{"{{values/test}}",
                     std::chrono::minutes(1),
                     {},
                     {{"all_passed", true}},
                     {{"all_passed", false}, {"unit/errors", Json::parse(R"(["$output"])")}}};
  test.on = {way_to("fix", {{"all_passed", false}})};
  Phase fix = agent_phase("fix");
  return pinned_for_test({test, agent_phase("review", "reviewer"), fix});
}

TEST(ProofTest, TheCheckWinsOverWhatTheAgentSays) {
  RunForTest run(with_proof());
  run.start({{"values", {{"test", "make test"}}}});
  run.done("test", {{"all_passed", true}, {"unit", {{"total", 3}}}});
  EXPECT_EQ(run.decided(), "check test/check.1");
  EXPECT_EQ(run.open_fields("test/check"), Json::parse(R"({"command":"make test","limit_ms":60000})"));
  run.done("test/check", {{"passed", false}, {"exit", 2}, {"output", "1 failed"}});
  EXPECT_EQ(run.decided(), "settle test · enter fix · turn fix.1 · retire tester/retire.1");
  EXPECT_EQ(run.state.answers.at("test").value,
            Json::parse(R"({"all_passed":false,"unit":{"total":3,"errors":["1 failed"]}})"));
}

TEST(ProofTest, ACheckThatPassesLeavesTheAnswerAsItIs) {
  RunForTest run(with_proof());
  run.start({{"values", {{"test", "make test"}}}});
  run.done("test", {{"all_passed", true}});
  run.done("test/check", {{"passed", true}});
  EXPECT_EQ(run.decided(), "settle test · enter review · turn review.1 · retire tester/retire.1");
  EXPECT_EQ(run.state.answers.at("test").value, Json::parse(R"({"all_passed":true})"));
}

TEST(ProofTest, NothingIsProvedWithoutACommandOrAClaim) {
  RunForTest unconfigured(with_proof());
  unconfigured.start({{"values", {{"test", ""}}}});
  unconfigured.done("test", {{"all_passed", true}});
  EXPECT_EQ(unconfigured.state.phase, "review");
  RunForTest honest(with_proof());
  honest.start({{"values", {{"test", "make test"}}}});
  honest.done("test", {{"all_passed", false}});
  EXPECT_EQ(honest.state.phase, "fix");
}

TEST(ProofTest, APersonMaySkipAProofAndTheAnswerStands) {
  RunForTest run(with_proof());
  run.start({{"values", {{"test", "make test"}}}});
  run.done("test", {{"all_passed", true}});
  run.settle(event::Decided{"skip", {.by = "kim"}}, "test/check");
  EXPECT_EQ(run.state.answers.at("test").value, Json::parse(R"({"all_passed":true})"));
}

// Without fields that take the place of the answer's, a check that fails fails the step.
TEST(ProofTest, WithoutFieldsOfItsOwnTheLadderFollows) {
  Phase test = agent_phase("test", "tester");
  test.check = Check{"make test", {}, {}, {}, {}};
  RunForTest run(pinned_for_test({test}));
  run.start();
  run.done("test", {{"all_passed", true}});
  run.done("test/check", {{"passed", false}, {"output", "1 failed"}});
  EXPECT_EQ(run.said("test", "rung"), "mend");
  EXPECT_NE(run.said("test").find("its check failed. It printed:\n1 failed"), std::string::npos) << run.said("test");
  EXPECT_EQ(run.said("test", "member"), "tester");
  run.done("test", {{"all_passed", true}});
  run.done("test/check", {{"passed", false}, {"output", "2 failed"}});
  EXPECT_EQ(run.said("test", "rung"), "fresh");
  EXPECT_EQ(run.said("test", "why"), "its check failed. It printed:\n2 failed");
  run.done("test", {{"all_passed", true}});
  run.done("test/check", {{"passed", true}});
  EXPECT_EQ(run.state.ending, status::kDone);
}

TEST(ProofTest, OfACheckThatPrintsNothingTheCommandIsTold) {
  Phase test = agent_phase("test", "tester");
  test.check = Check{"grep -q x a", {}, {}, {}, {}};
  RunForTest run(pinned_for_test({test}));
  run.start();
  run.done("test", {{"all_passed", true}});
  run.done("test/check", {{"passed", false}, {"output", "\n"}});
  EXPECT_NE(run.said("test").find("its check failed, and printed nothing: grep -q x a"), std::string::npos)
      << run.said("test");
}

TEST(ProofTest, AnAnswerThatDoesNotPassIsToldWhy) {
  Phase test = agent_phase("test", "tester");
  test.pass = {{"status", "PASS"}};
  RunForTest run(pinned_for_test({test}));
  run.start();
  run.done("test", {{"status", "FAIL"}});
  EXPECT_EQ(run.said("test", "rung"), "mend");
  EXPECT_EQ(run.said("test", "why").find("it has not passed: status is \"FAIL\", and should be \"PASS\". It was {"),
            0U);
  run.done("test", {{"status", "PASS"}});
  EXPECT_EQ(run.state.ending, status::kDone);
}

TEST(ProofTest, OneThatCannotBeMadeParks) {
  Phase test = agent_phase("test", "tester");
  test.check = Check{"make {{", {}, {}, {}, {}};
  RunForTest run(pinned_for_test({test}));
  run.start();
  run.done("test", {{"all_passed", true}});
  EXPECT_EQ(run.decided(), "ask test/stuck.1");
  run.done("test/stuck", {{"answer", "again"}});
  EXPECT_EQ(run.decided(), "ask test/stuck.2") << "its answer is there, so it is not asked again";
}

// --- what a crash left open

TEST(DecidedTest, RerunSkipAndNonsense) {
  Phase notify = phase_for_test(Phase::Kind::notify, "tell");
  notify.check = Check{"./announce", std::chrono::seconds(5), {}, {}, {}};
  struct Row {
    const char* decision;
    const char* decided;
  };
  const std::vector<Row> rows = {{"rerun", "notify tell.2"},
                                 {"skip", "settle tell · enter build · turn build.1"},
                                 {"maybe", "end_team end-w-20261116-1a2b.1"}};
  for (const auto& row : rows) {
    RunForTest run(pinned_for_test({notify, agent_phase("build")}));
    run.start();
    EXPECT_EQ(run.decided(), "enter tell · notify tell.1");
    run.settle(event::Decided{row.decision, {.by = "kim"}}, "tell");
    EXPECT_EQ(run.decided(), row.decided);
  }
}

TEST(UnknownTest, TheOwnerIsAskedAndTheAnswerDecides) {
  Phase notify = phase_for_test(Phase::Kind::notify, "tell");
  notify.check = Check{"./announce", std::chrono::seconds(5), {}, {}, {}};
  struct Row {
    const char* answer;
    const char* decided;
  };
  const std::vector<Row> rows = {{"rerun", "notify tell.2"}, {"skip", "settle tell · enter build · turn build.1"}};
  for (const auto& row : rows) {
    RunForTest run(pinned_for_test({notify, agent_phase("build")}));
    run.start();
    run.settle(event::OutcomeUnknown{}, "tell");
    EXPECT_EQ(run.decided(), "ask tell/unknown.1");
    const Json question = run.open_fields("tell/unknown");
    EXPECT_EQ(question["to"], "owner");
    EXPECT_EQ(question["options"], Json::parse(R"(["rerun","skip"])"));
    EXPECT_NE(question["text"].get<std::string>().find("tell.1 may have been done"), std::string::npos);
    EXPECT_EQ(question["about"], Json::parse(R"({"kind":"notify","step":"tell","attempt":1,
        "body":{"command":"./announce","limit_ms":5000}})"));
    EXPECT_EQ(run.find_open("tell"), nullptr) << "it waits for nothing but the answer";
    run.done("tell/unknown", {{"answer", row.answer}, {"by", "kim"}});
    EXPECT_EQ(run.decided(), row.decided);
  }
}

// --- budgets

Json spent(std::int64_t tokens, double usd) {
  return {{"usage", {{"input_tokens", tokens}, {"output_tokens", 1}, {"cost_usd", usd}, {"duration_ms", 61'000}}}};
}

TEST(BudgetTest, IsCheckedBeforeATurnAndRaisedByTheOwner) {
  struct Row {
    const char* scope;
    const char* text;
    Pinned pinned;
  };
  const auto made = [](auto change) {
    Pinned pinned = pinned_for_test({agent_phase("build"), agent_phase("test", "builder")});
    change(pinned.workflow);
    return pinned;
  };
  const std::vector<Row> rows = {
      {"run", "The budget of run is spent: 1 of 1 turns", made([](Workflow& w) { w.budget.turns = 1; })},
      {"run", "The budget of run is spent: 101 of 100 tokens", made([](Workflow& w) { w.budget.tokens = 100; })},
      {"run", "The budget of run is spent: 0.50 of 0.30 USD", made([](Workflow& w) { w.budget.usd = 0.3; })},
      {"run", "The budget of run is spent: 61 s of 60 s",
       made([](Workflow& w) { w.budget.time = std::chrono::minutes(1); })},
      {"role/builder", "The budget of role/builder is spent: 61 s of 61 s",
       made([](Workflow& w) { w.roles["builder"].budget.time = std::chrono::seconds(61); })},
      {"role/builder", "The budget of role/builder is spent: 1 of 1 turns",
       made([](Workflow& w) { w.roles["builder"].budget.turns = 1; })},
  };
  for (const auto& row : rows) {
    RunForTest run(row.pinned);
    run.start();
    run.done("build", Json::object(), spent(100, 0.5));
    EXPECT_EQ(run.decided(), "settle build · enter test · ask test/budget.1");
    EXPECT_EQ(run.said("test/budget", "text"), row.text);
    run.done("test/budget", {{"answer", "raise"}});
    EXPECT_EQ(run.decided(), std::string("raise ") + row.scope + " · turn test.1");
    EXPECT_EQ(run.state.raised.at(row.scope), 1);
    run.done("test", Json::object(), spent(1, 0.0));
    EXPECT_EQ(run.state.usage.at("role/builder").turns, 2);
  }
}

TEST(BudgetTest, TimeIsAFoldOverWhatTurnsTook) {
  Pinned pinned = pinned_for_test({agent_phase("build"), agent_phase("test", "builder")});
  pinned.workflow.budget.time = std::chrono::seconds(62);
  pinned.workflow.phases[1].budget.time = std::chrono::minutes(2);
  RunForTest run(pinned);
  run.start();
  run.done("build", Json::object(), spent(1, 0.0));
  EXPECT_EQ(run.decided(), "settle build · enter test · turn test.1") << "61 of 62 s";
  run.settle(read_event_body(event::Failed::kKind, spent(1, 0.0)), "test");
  EXPECT_EQ(run.said("test/budget", "text"), "The budget of run is spent: 2 m of 62 s");
  EXPECT_EQ(run.state.worked_ms,
            (std::map<std::string, std::int64_t>{
                {"phase/build", 61'000}, {"phase/test", 61'000}, {"role/builder", 122'000}, {"run", 122'000}}));
  run.done("test/budget", {{"answer", "raise"}});
  EXPECT_EQ(run.decided(), "raise run · turn test.2");
  Json backwards = spent(1, 0.0);
  backwards["usage"]["duration_ms"] = -5;
  run.done("test", Json::object(), backwards);
  EXPECT_EQ(run.state.worked_ms.at("run"), 122'000) << "time does not come back";
}

TEST(BudgetTest, OfAPhaseCountsItsRetriesAndKeepsTheRung) {
  Phase build = agent_phase("build");
  build.budget.turns = 1;
  RunForTest run(pinned_for_test({build}));
  run.start();
  Json failure = {{"fault", "context"}, {"error", "no JSON"}};
  failure.update(spent(10, 0.1));
  run.settle(read_event_body(event::Failed::kKind, failure), "build");
  EXPECT_EQ(run.decided(), "ask build/budget.1");
  run.done("build/budget", {{"answer", "raise"}});
  EXPECT_EQ(run.decided(), "raise phase/build · turn build.2");
  EXPECT_EQ(run.said("build", "rung"), "fresh") << "it goes on where it was refused";
}

TEST(BudgetTest, StopBlocks) {
  Pinned pinned = pinned_for_test({agent_phase("build"), agent_phase("test", "builder")});
  pinned.workflow.budget.turns = 1;
  RunForTest run(pinned);
  run.start();
  run.done("build", Json::object(), spent(1, 0));
  run.done("test/budget", {{"answer", "stop"}, {"by", "kim"}});
  EXPECT_EQ(run.state.ending, status::kBlocked);
  EXPECT_EQ(run.state.ending_reason, "test/budget: the owner chose to stop");
}

}  // namespace
}  // namespace teamster::workflow
