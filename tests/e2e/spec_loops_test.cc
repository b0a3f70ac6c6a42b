// How far the loops of implement-spec go, what a blocked spec leaves, and where a run begins that another
// tool, another process or another version of the workflow has left in the middle.
#include <algorithm>
#include <csignal>
#include <filesystem>

#include "e2e/spec_project.h"

namespace teamster::e2e {
namespace {

// What another tool has left of spec 01 after its test fix: the tree, the artifacts, the manifest. Its JSON is not
// written as we write it, and it has keys of its own.
constexpr const char* kForeignTree = R"sh(
cat > src/shout.sh <<'END'
# The words in capital letters, with an exclamation mark.
shout() {
  if [ $# -eq 0 ]; then
    echo 'say: nothing to shout' >&2
    return 1
  fi
  printf '%s!\n' "$*" | tr '[:lower:]' '[:upper:]'
}
END
printf '. tests/check.sh\n. src/shout.sh\nexpect shout-one-word 0 "HELLO!" shout hello\n' > tests/unit/shout_test.sh
printf '. tests/check.sh\nexpect say-shout 0 "HELLO!" sh say.sh shout hello\n' > tests/e2e/shout_test.sh
)sh";

constexpr const char* kForeignManifest = R"({
    "made_by": {"tool": "another", "version": [1, 2]},
    "spec_number": "01", "spec_path": "specs/01-shout.md", "spec_name": "shout", "page_url": null,
    "status": "in_progress",
    "current_phase": 7,
    "next_sequence": 8,
    "iterations": {"verify": 0, "test_fix": 1, "refactor": 0},
    "phases": {
        "1_implement": {"status": "done", "latest": "001-p01-implement.json"},
        "2_verify": {"status": "done", "latest": "002-p02-verify.json"},
        "3_unit_tests": {"status": "done", "latest": "003-p03-unit-tests.json"},
        "4_e2e_tests": {"status": "done", "latest": "004-p04-e2e-tests.json"},
        "5_run_tests": {"status": "done", "latest": "007-p05-run-tests.json"},
        "6_fix": {"status": "done", "latest": "006-p06-fix.json"},
        "7_screenshots": {"status": "in_progress", "latest": null},
        "8_code_review": {"status": "pending", "latest": null},
        "9_commit": {"status": "pending", "latest": null}
    },
    "started_by": "kim"
})";

const std::vector<std::pair<const char*, const char*>> kForeignArtifacts = {
    {"001-p01-implement.json",
     R"({"status": "SUCCESS",
      "summary": "shout shouts, says the other tool", "files_created": ["src/shout.sh"],   "files_modified": [],
      "decisions": [], "blocked_by": []})"},
    {"002-p02-verify.json",
     R"({"verification_passed": true, "status": "SUCCESS", "summary": "holds", "acceptance_criteria": [],
      "missing_files": [], "issues": []})"},
    {"003-p03-unit-tests.json",
     R"({"status": "SUCCESS", "summary": "one test", "test_files_created": ["tests/unit/shout_test.sh"],
      "test_count": 1, "coverage_areas": []})"},
    {"004-p04-e2e-tests.json",
     R"({"status": "SUCCESS", "summary": "one test", "e2e_files_created": ["tests/e2e/shout_test.sh"],
      "screenshots_will_capture": [], "flows_tested": []})"},
    {"005-p05-run-tests.json", R"({"status": "SUCCESS", "summary": "superseded", "all_passed": false})"},
    {"006-p06-fix.json", R"({"status": "SUCCESS", "summary": "mended", "fixes_applied": [], "root_causes": []})"},
    {"007-p05-run-tests.json",
     R"({"status": "SUCCESS", "summary": "all 43 tests pass", "typecheck": {"passed": true, "errors": []},
      "unit_tests": {"passed": true, "total": 42, "failed": 0, "errors": []},
      "e2e_tests": {"passed": true, "total": 1, "failed": 0, "errors": []}, "all_passed": true})"},
};

class SpecLoops : public SpecProject {
 protected:
  SpecLoops() { use_example("plain"); }

  // A copy of the built-in workflow that can be edited, outside of the project.
  std::string own_workflow() const {
    const std::string place = home_.scratch() + "/implement-spec";
    std::filesystem::copy(std::string(TEAMSTER_SOURCE_DIR) + "/workflows/implement-spec", place,
                          std::filesystem::copy_options::recursive);
    return place;
  }
};

// As real reviewers answer.
TEST_F(SpecLoops, WhatSaysNothingMayBeLeftOut) {
  always_answer("reviewer", "[PHASE 2:", [](Json& answer) {
    for (auto& criterion : answer["acceptance_criteria"]) criterion.erase("reason");
    answer["missing_files"] = nullptr;
    answer.erase("issues");
    answer["confidence"] = "high";
  });
  always_answer("reviewer", "[PHASE 8:", [](Json& answer) {
    answer = {{"status", "SUCCESS"}, {"code_quality", "PASS"}};
  });
  const Outcome done = run_spec();
  EXPECT_EQ(done.exit, 0) << done;
  EXPECT_EQ(manifest()["status"], "done");
}

TEST_F(SpecLoops, TheFourthFailedVerificationBlocks) {
  always_answer("builder", "[PHASE 1: IMPLEMENT] spec 01", [](Json&) {});
  always_answer("reviewer", "[PHASE 2: VERIFY IMPLEMENTATION] spec 01", [](Json& answer) {
    answer["verification_passed"] = false;
    answer["issues"] = Json::parse(R"(["it does not shout loud enough"])");
  });
  const Outcome ran = run_spec();
  EXPECT_EQ(ran.exit, 1) << ran;
  EXPECT_EQ(ran.json["status"], "blocked");
  const Names steps = asked(ran.json["run"]);
  EXPECT_EQ(std::count(steps.begin(), steps.end(), "verify reviewer"), 4);
  EXPECT_EQ(std::count(steps.begin(), steps.end(), "implement builder"), 4);
  EXPECT_EQ(manifest()["status"], "blocked");
  EXPECT_EQ(manifest()["iterations"]["verify"], 3);
  EXPECT_EQ(home_.ok({"team", "list"})["teams"], Json::array()) << "the team is gone";
  EXPECT_NE(ran.json["report"].get<std::string>().find("blocked"), std::string::npos) << ran;

  const Outcome again = run_spec();
  EXPECT_EQ(again.exit, 1) << again;
  EXPECT_NE(again.what().find("implement-spec 01 is blocked"), std::string::npos) << again;
  EXPECT_NE(again.next().find("\"in_progress\""), std::string::npos) << again;
}

TEST_F(SpecLoops, ARefactoringThatDoesNotEndIsAcceptedAndReported) {
  always_answer("builder", "[PHASE 6: FIX FAILURES] spec 01", [](Json&) {});
  always_answer("tester", "[PHASE 5: RUN TESTS] spec 01, after fix 1", [](Json&) {});
  change("tester", [](Json& script) {
    for (auto& turn : script["turns"])
      if (turn["when"]["contains"] == "[PHASE 5: RUN TESTS] spec 01, after fix 1")
        turn["when"]["contains"] = "[PHASE 5: RUN TESTS] spec 01";
  });
  always_answer("reviewer", "[PHASE 7: REVIEW SCREENSHOTS] spec 01", [](Json&) {});
  always_answer("reviewer", "[PHASE 8: CODE REVIEW] spec 01", [](Json& answer) {
    answer["code_quality"] = "NEEDS_REFACTOR";
    answer["issues"] =
        Json::parse(R"([{"file": "src/shout.sh", "issue": "tr forks a process", "suggested_fix": "none yet"}])");
  });
  const Outcome ran = run_spec();
  ASSERT_EQ(ran.exit, 0) << ran;
  const Names steps = asked(ran.json["run"]);
  EXPECT_EQ(std::count(steps.begin(), steps.end(), "code-review reviewer"), 4);
  EXPECT_EQ(manifest()["iterations"], Json::parse(R"({"verify":0,"test_fix":4,"refactor":3})"));
  EXPECT_NE(ran.json["report"].get<std::string>().find("tr forks a process"), std::string::npos) << ran;
}

TEST_F(SpecLoops, WhatAnotherToolHasLeftGoesOnAtItsPhase) {
  shell(kForeignTree);
  std::filesystem::create_directories(project_ + "/progress/spec-01");
  for (const auto& [name, text] : kForeignArtifacts) write_file(project_ + "/progress/spec-01/" + name, text);
  write_file(project_ + "/progress/spec-01/manifest.json", kForeignManifest);
  const Outcome ran = run_spec();
  ASSERT_EQ(ran.exit, 0) << ran;
  EXPECT_EQ(asked(ran.json["run"]), (Names{"screenshots reviewer", "code-review reviewer", "commit builder"}));
  const Json done = manifest();
  EXPECT_EQ(done["status"], "done");
  EXPECT_EQ(done["current_phase"], 10);
  EXPECT_EQ(done["next_sequence"], 11);
  EXPECT_EQ(done["made_by"], Json::parse(R"({"tool": "another", "version": [1, 2]})"));
  EXPECT_EQ(done["started_by"], "kim");
  EXPECT_EQ(done["phases"]["7_screenshots"]["latest"], "008-p07-screenshots.json");
  const std::string text = read_file(project_ + "/progress/spec-01/manifest.json");
  EXPECT_LT(text.find("made_by"), text.find("spec_number")) << "in their order: " << text;
  for (const auto& [name, content] : kForeignArtifacts)
    EXPECT_EQ(read_file(project_ + "/progress/spec-01/" + name), content) << name;
  const std::string report = ran.json["report"];
  EXPECT_NE(report.find("shout shouts, says the other tool"), std::string::npos) << report;
  EXPECT_NE(report.find("| 42 |"), std::string::npos) << report;
  EXPECT_EQ(shell("git status --porcelain"), "");
}

TEST_F(SpecLoops, AnEditedWorkflowDoesNotChangeARunInFlight) {
  const std::string place = own_workflow();
  EXPECT_EQ(run_spec({"--fault", "kill engine@step.done:implement.1:after"}, place).exit, 128 + SIGKILL);
  const std::string name = home_.ok({"status"})["runs"][0]["run"];
  const std::string before = read_file(place + "/phases/verify.md");
  write_file(place + "/phases/verify.md", "EDITED MEANWHILE\n" + before);
  write_file(place + "/phases/code-review.md", "EDITED MEANWHILE {{NO_SUCH_INPUT}}\n");
  write_file(place + "/workflow.yaml", "name: [broken\n");
  const Outcome resumed = run({"resume", name, "--json"}, project_);
  ASSERT_EQ(resumed.exit, 0) << resumed;
  EXPECT_EQ(manifest()["status"], "done");
  EXPECT_EQ(home_.ok({"log", name}).dump().find("EDITED MEANWHILE"), std::string::npos);
}

TEST_F(SpecLoops, OtherRunsGoOnBesideIt) {
  const std::string place = home_.scratch() + "/choice";
  std::filesystem::create_directories(place);
  write_file(place + "/workflow.yaml", R"(
name: choice
about: Something to approve.
args:
  what: { about: what it is about }
key: '{{args/what}}'
phases:
  - id: approve
    kind: gate
    question: { text: 'Shall {{args/what}} go on?', to: kim }
    on: [ { when: { approved: false }, block: 'no' } ]
)");
  Process alpha = teamster({"run", place, "alpha"});
  Process beta = teamster({"run", place, "beta"});
  ASSERT_TRUE(eventually([&] {
    const Outcome inbox = home_.run({"inbox", "--json"});
    return inbox.exit == 0 && inbox.json["questions"].size() == 2;
  }));
  const Outcome ran = run_spec();
  EXPECT_EQ(ran.exit, 0) << ran;
  const Json questions = home_.ok({"inbox"})["questions"];
  ASSERT_EQ(questions.size(), 2U) << questions;
  for (const auto& question : questions)
    EXPECT_EQ(home_.ok({"approve", question["id"].get<std::string>()})["recorded"], true);
  EXPECT_EQ(alpha.wait(), 0) << alpha.err();
  EXPECT_EQ(beta.wait(), 0) << beta.err();
}

}  // namespace
}  // namespace teamster::e2e
