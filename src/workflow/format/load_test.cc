#include "workflow/format/load.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "base/limits.h"
#include "workflow/format/bundled_workflows_for_test.h"

namespace teamster::workflow {
namespace {

std::string all_of(const Loaded& loaded) {
  std::string text;
  for (const auto& problem : loaded.problems) text += problem.text() + "\n";
  return text;
}

const Phase& phase(const Workflow& workflow, const std::string& id) {
  for (const auto& one : workflow.phases)
    if (one.id == id) return one;
  ADD_FAILURE() << "no phase " << id;
  return workflow.phases.front();
}

Workflow implement_spec() {
  auto loaded = load_workflow(bundled_workflows().at("implement-spec"));
  EXPECT_EQ(all_of(loaded), "");
  return loaded.workflow.value_or(Workflow{});
}

TEST(LoadWorkflow, RulesThatAreNewDoNotStopARunThatHasBegun) {
  const Bundle old = {{kWorkflowFile,
                       "name: old\nargs: { what: {} }\n"
                       "phases: [ { id: look, kind: check, command: 'test -f {{args/what}}' } ]\n"}};
  EXPECT_EQ(load_workflow(old).problems.size(), 2U);
  const auto pinned = load_pinned(old);
  EXPECT_EQ(all_of(pinned), "");
  ASSERT_TRUE(pinned.workflow);
  EXPECT_EQ(phase(*pinned.workflow, "look").check->command, "test -f {{args/what}}");
  EXPECT_FALSE(load_pinned({{kWorkflowFile, "name: old\nextra: 1\n"}}).workflow) << "it has to be readable";
}

TEST(LoadWorkflow, AcceptsEveryBundledOne) {
  const auto all = bundled_workflows();
  EXPECT_FALSE(all.empty());
  for (const auto& [name, bundle] : all) {
    const auto loaded = load_workflow(bundle);
    EXPECT_EQ(all_of(loaded), "") << name;
    if (loaded.workflow) {
      EXPECT_EQ(loaded.workflow->name, name);
    }
  }
}

TEST(LoadWorkflow, ReadsWhatSurroundsThePhases) {
  const Workflow workflow = implement_spec();
  ASSERT_EQ(workflow.args.size(), 1U);
  EXPECT_EQ(workflow.args[0].pattern, "[0-9]{2}");
  EXPECT_EQ(workflow.team.name, "spec-{{args/spec}}");
  EXPECT_EQ(workflow.team.scope, Team::Scope::run);
  EXPECT_EQ(workflow.loops.at("test_fix").max, 5);
  EXPECT_EQ(workflow.loops.at("test_fix").counts, "fix");
  EXPECT_EQ(workflow.loops.at("refactor").then, Loop::Then::accept);
  EXPECT_FALSE(workflow.roles.at("reviewer").writes_everywhere);
  EXPECT_TRUE(workflow.roles.at("reviewer").writes.empty());
  EXPECT_EQ(workflow.roles.at("builder").writes, std::vector<std::string>{"."});
  ASSERT_EQ(workflow.always.size(), 1U);
  EXPECT_EQ(workflow.always[0].end, Way::End::block);
  EXPECT_EQ(workflow.always[0].when.at("status"), "BLOCKED");
  ASSERT_TRUE(workflow.ledger);
  EXPECT_EQ(workflow.ledger->artifact, "{{sequence:03}}-p{{number:02}}-{{id}}.json");
  ASSERT_TRUE(workflow.series);
  EXPECT_EQ(workflow.series->argument, "spec");
  EXPECT_EQ(workflow.report, "report.md");
  EXPECT_EQ(workflow.report_inputs.at("IMPLEMENTED").fallback, "nothing");
}

TEST(LoadWorkflow, ReadsPhases) {
  const Workflow workflow = implement_spec();
  const Phase& verify = phase(workflow, "verify");
  EXPECT_EQ(verify.number, 2);
  EXPECT_EQ(verify.title, "VERIFY IMPLEMENTATION");
  EXPECT_EQ(verify.role, "reviewer");
  ASSERT_EQ(verify.on.size(), 1U);
  EXPECT_EQ(verify.on[0].when.at("verification_passed"), false);
  EXPECT_EQ(verify.on[0].target, "implement");
  EXPECT_EQ(verify.on[0].loop, "verify");

  const Input& failed = phase(workflow, "implement").inputs.at("FAILED_CRITERIA");
  ASSERT_EQ(failed.sources.size(), 1U);
  EXPECT_EQ(failed.sources[0].kind, Source::Kind::answer);
  EXPECT_EQ(failed.sources[0].name, "verify");
  EXPECT_EQ(failed.sources[0].path, std::vector<std::string>{"acceptance_criteria"});
  EXPECT_EQ(failed.sources[0].where, Json::parse(R"({"passed":false})"));
  EXPECT_EQ(failed.fallback, "none");

  const Input& errors = phase(workflow, "fix").inputs.at("TEST_ERRORS");
  EXPECT_EQ(errors.by_sender.at("run-tests").size(), 3U);
  ASSERT_TRUE(phase(workflow, "run-tests").check);
  EXPECT_EQ(phase(workflow, "run-tests").check->then.at("all_passed"), false);
  EXPECT_EQ(phase(workflow, "record").kind, Phase::Kind::commit);
}

// Every phase leads to every other, and each loop counts a phase elsewhere: there are more sets of ways to look at than
// anybody has time for.
TEST(LoadWorkflow, DoesNotLookForCirclesForEver) {
  constexpr int kPhases = 40;
  std::string loops;
  std::string phases;
  for (int i = 0; i < kPhases; ++i) {
    loops += fmt::format("  l{}: {{ max: 2, counts: p{} }}\n", i, (i + 7) % kPhases);
    phases += fmt::format("  - id: p{}\n    kind: ask\n    question: {{ text: Where to }}\n    on:\n", i);
    for (int k = 0; k < kPhases; ++k)
      phases += fmt::format("      - {{ when: {{ answer: '{0}' }}, goto: p{0}, loop: l{1} }}\n", k, i);
  }
  const auto loaded = load_workflow({{kWorkflowFile, "name: x\nloops:\n" + loops + "phases:\n" + phases}});
  EXPECT_NE(all_of(loaded).find("nobody can say whether a run ends"), std::string::npos) << all_of(loaded);
}

TEST(LoadWorkflow, NeedsItsFirstFile) {
  const auto loaded = load_workflow({{"other.yaml", "name: x\n"}});
  EXPECT_FALSE(loaded.workflow);
  EXPECT_EQ(all_of(loaded), "workflow.yaml:1:1: there is no such file, and it is where a workflow begins\n");
}

TEST(LoadWorkflow, RefusesFilesOverTheLimits) {
  EXPECT_NE(all_of(load_workflow({{kWorkflowFile, std::string(10 * 1024 * 1024, '[')}})).find("10485760 bytes"),
            std::string::npos);
  Bundle many{{kWorkflowFile, "name: x\n"}};
  for (std::size_t i = 0; i < limits::kWorkflowFilesMax; ++i) many["file" + std::to_string(i)] = "";
  EXPECT_NE(all_of(load_workflow(many)).find("513 files, the limit is 512"), std::string::npos);
}

TEST(LoadWorkflow, KeepsSoManyProblemsAndCountsTheOthers) {
  std::string text = "name: x\nphases: []\n";
  for (int i = 0; i < 150; ++i) text += "wrong_" + std::to_string(i) + ": 1\n";
  const auto loaded = load_workflow({{kWorkflowFile, text}});
  EXPECT_EQ(loaded.problems.size(), limits::kWorkflowProblemsMax);
  EXPECT_EQ(loaded.problems_left_out, 51U);
  EXPECT_TRUE(std::is_sorted(loaded.problems.begin(), loaded.problems.end()));
}

}  // namespace
}  // namespace teamster::workflow
