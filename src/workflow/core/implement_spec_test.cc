// The bundled workflow implement-spec, step by step: the order of its phases and every row of its
// loops, as its page in the documentation promises them.
#include <gtest/gtest.h>

#include "workflow/core/run_for_test.h"
#include "workflow/format/bundled_workflows_for_test.h"
#include "workflow/format/load.h"

namespace teamster::workflow {
namespace {

class ImplementSpecTest : public testing::Test {
 protected:
  static Pinned pinned() {
    Pinned pinned;
    pinned.run = "implement-spec-20261116-1a2b";
    pinned.bundle = bundled_workflows().at("implement-spec");
    const Loaded loaded = load_workflow(pinned.bundle);
    EXPECT_TRUE(loaded.workflow) << "it has " << loaded.problems.size() << " problems";
    if (loaded.workflow) pinned.workflow = *loaded.workflow;
    return pinned;
  }

  void start(const std::string& test_command = "") {
    Json body = Json::parse(R"({"args":{"spec":"01"},"values":{"preamble":"PREAMBLE TEXT","spec_path":"specs/01-x.md",
        "spec_name":"x","page_url":"","cached_docs":[]},"skills":["c"]})");
    body["values"]["test"] = test_command;
    run_.start(body);
  }
  void implement() {
    done("implement", R"({"files_created":["a.c"],"files_modified":[],"decisions":[],"blocked_by":[]})");
  }
  void verify(bool passed) {
    done("verify", std::string(R"({"acceptance_criteria":[{"criterion":"c1","passed":false,"reason":"absent"}],
        "missing_files":[],"issues":["i1"],"verification_passed":)") +
                       (passed ? "true}" : "false}"));
  }
  void write_tests() {
    done("unit-tests", R"({"test_files_created":["t.c"],"test_count":1,"coverage_areas":[]})");
    done("e2e-tests", R"({"e2e_files_created":["e.sh"],"screenshots_will_capture":["s.png"],"flows_tested":[]})");
  }
  void run_tests(bool passed) {
    done("run-tests", std::string(R"({"typecheck":{"passed":true,"errors":[]},
        "unit_tests":{"passed":false,"total":3,"failed":1,"errors":["test 2 fails"]},
        "e2e_tests":{"passed":true,"total":1,"failed":0,"errors":[]},"all_passed":)") +
                          (passed ? "true}" : "false}"));
  }
  void fix() { done("fix", R"({"fixes_applied":[],"root_causes":[]})"); }
  void screenshots(bool clear) {
    done("screenshots", std::string(R"({"screenshots_reviewed":1,"js_errors":[],
        "visual_issues":[{"screenshot":"s.png","issue":"overlap"}],"all_clear":)") +
                            (clear ? "true}" : "false}"));
  }
  void review(const std::string& quality) {
    done("code-review", R"({"code_quality":")" + quality +
                            R"(","issues":[{"file":"a.c","issue":"long function","suggested_fix":"split"}]})");
  }
  void commit() { done("commit", R"({"commit_hash":"abc123","files_committed":3,"tag_created":""})"); }

  void done(const std::string& step, const std::string& answer) {
    Json value = Json::parse(answer);
    value.emplace("status", "SUCCESS");
    value.emplace("summary", "summary of " + step);
    run_.done(step, value);
  }
  const std::string& phase() const { return run_.state.phase; }
  std::int64_t loop(const char* name) const {
    const auto found = run_.state.loops.find(name);
    return found == run_.state.loops.end() ? 0 : found->second;
  }

  RunForTest run_{pinned()};
};

TEST_F(ImplementSpecTest, OneFixedTestAndThenItIsDone) {
  start();
  EXPECT_EQ(run_.state.teams, (std::vector<std::string>{"spec-01"}));
  EXPECT_EQ(run_.state.members.size(), 3U) << "all teammates are there at once";
  EXPECT_NE(run_.said("implement").find("PREAMBLE TEXT"), std::string::npos);
  EXPECT_NE(run_.said("implement").find("[PHASE 1: "), std::string::npos) << run_.said("implement");
  implement();
  verify(true);
  write_tests();
  EXPECT_EQ(run_.said("run-tests").find("PREAMBLE TEXT"), std::string::npos) << "the tester has had it";
  run_tests(false);
  EXPECT_NE(run_.said("fix").find("test 2 fails"), std::string::npos);
  fix();
  run_tests(true);
  screenshots(true);
  review("PASS");
  commit();
  done("commit/check", R"({"passed":true})");
  run_.done("record", {{"commit", "def"}, {"tag", "step-1"}});
  EXPECT_EQ(run_.decided(), "settle record · end_team end-spec-01.1");
  run_.settle(event::TeamGone{}, "end-spec-01");
  const std::string report = run_.commands.at(0).as<command::End>()->report;
  run_.finish();
  EXPECT_EQ(run_.state.status, status::kDone);
  EXPECT_EQ(run_.state.next_sequence, 11);
  EXPECT_EQ(loop("verify"), 0);
  EXPECT_EQ(loop("test_fix"), 1);
  EXPECT_EQ(loop("refactor"), 0);
  for (const char* said : {"abc123", "step-1", "summary of implement"})
    EXPECT_NE(report.find(said), std::string::npos) << said << " is not in:\n" << report;
}

TEST_F(ImplementSpecTest, ArtifactsAreNumberedThroughTheRun) {
  start();
  implement();
  verify(false);
  implement();
  EXPECT_EQ(run_.state.answers.at("implement").sequence, 3) << "a re-run adds a new file";
  const Pinned all = pinned();
  EXPECT_EQ(artifact_path(all, run_.state, all.workflow.phases.at(0), 3), "progress/spec-01/003-p01-implement.json");
}

TEST_F(ImplementSpecTest, TheFourthFailureToVerifyBlocks) {
  start();
  for (int failure = 1; failure <= 3; ++failure) {
    implement();
    verify(false);
    EXPECT_EQ(phase(), "implement");
    EXPECT_EQ(loop("verify"), failure);
    EXPECT_NE(run_.said("implement").find("absent"), std::string::npos) << "it is told what failed";
  }
  implement();
  verify(false);
  EXPECT_EQ(run_.state.ending, status::kBlocked);
  run_.finish();
  EXPECT_NE(run_.state.reason.find("verify"), std::string::npos);
}

TEST_F(ImplementSpecTest, TheSixthFailureOfTheTestsBlocks) {
  start();
  implement();
  verify(true);
  write_tests();
  for (int failure = 1; failure <= 5; ++failure) {
    run_tests(false);
    fix();
    EXPECT_EQ(loop("test_fix"), failure);
    EXPECT_EQ(phase(), "run-tests");
  }
  run_tests(false);
  EXPECT_EQ(run_.state.ending, status::kBlocked);
}

TEST_F(ImplementSpecTest, ScreenshotsShareTheCounterOfTheTests) {
  start();
  implement();
  verify(true);
  write_tests();
  for (int failure = 1; failure <= 4; ++failure) {
    run_tests(false);
    fix();
  }
  run_tests(true);
  screenshots(false);
  EXPECT_EQ(phase(), "fix");
  EXPECT_NE(run_.said("fix").find("overlap"), std::string::npos) << "it is told what the screenshots showed";
  EXPECT_EQ(run_.said("fix").find("test 2 fails"), std::string::npos) << "and not what the tests said";
  fix();
  EXPECT_EQ(loop("test_fix"), 5);
  run_tests(true);
  screenshots(false);
  EXPECT_EQ(run_.state.ending, status::kBlocked) << "the limit is of both";
}

TEST_F(ImplementSpecTest, AReviewThatStillObjectsIsAcceptedAndNoted) {
  start();
  implement();
  verify(true);
  write_tests();
  for (int round = 1; round <= 3; ++round) {
    run_tests(true);
    screenshots(true);
    review("NEEDS_REFACTOR");
    EXPECT_EQ(loop("refactor"), round);
    EXPECT_NE(run_.said("fix").find("long function"), std::string::npos);
    fix();
  }
  EXPECT_EQ(loop("test_fix"), 3) << "whoever sent it";
  run_tests(true);
  screenshots(true);
  review("NEEDS_REFACTOR");
  EXPECT_EQ(phase(), "commit");
  commit();
  done("commit/check", R"({"passed":true})");
  run_.done("record", {{"commit", "def"}, {"tag", "step-1"}});
  run_.settle(event::TeamGone{}, "end-spec-01");
  const std::string report = run_.commands.at(0).as<command::End>()->report;
  EXPECT_NE(report.find("long function"), std::string::npos) << report;
}

TEST_F(ImplementSpecTest, BlockedStopsTheSpecWithItsSummary) {
  start();
  run_.done("implement", {{"status", "BLOCKED"}, {"summary", "the compiler is missing"}});
  EXPECT_EQ(run_.state.ending, status::kBlocked);
  run_.finish();
  EXPECT_EQ(run_.state.reason, "implement: the compiler is missing");
}

TEST_F(ImplementSpecTest, TheCheckWins) {
  start("make test");
  implement();
  verify(true);
  write_tests();
  run_tests(true);
  EXPECT_EQ(run_.said("run-tests/check", "command"), "make test");
  done("run-tests/check", R"({"passed":false,"exit":2,"output":"assertion failed"})");
  EXPECT_EQ(phase(), "fix");
  EXPECT_NE(run_.said("fix").find("assertion failed"), std::string::npos);
  EXPECT_EQ(run_.state.answers.at("run-tests").value["all_passed"], false);
}

TEST_F(ImplementSpecTest, ACommitThatIsNotThereBlocks) {
  start();
  implement();
  verify(true);
  write_tests();
  run_tests(true);
  screenshots(true);
  review("PASS");
  commit();
  done("commit/check", R"({"passed":false,"output":"The builder reported a commit and left these files"})");
  EXPECT_EQ(run_.state.ending, status::kBlocked);
}

}  // namespace
}  // namespace teamster::workflow
