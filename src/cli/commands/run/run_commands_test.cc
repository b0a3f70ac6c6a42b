// Commands that look at a run, or end it.
#include <gtest/gtest.h>

#include "cli/framework/runs_for_test.h"
#include "cli/text/printable.h"

namespace teamster::cli {
namespace {

namespace event = workflow::event;
using workflow::RunForTest;

class RunCommandsTest : public RunsForTest {};

TEST_F(RunCommandsTest, NothingThere) {
  EXPECT_EQ(outside_.run({"status"}), 1);
  EXPECT_EQ(outside_.err.captured, "no runs; start one with `teamster run WORKFLOW`\n");
  EXPECT_EQ(outside_.run({"status", "--json"}), 1);
  EXPECT_EQ(outside_.document(), Json::parse(R"({"runs":[]})"));
  EXPECT_EQ(outside_.run({"watch"}), 1);
  EXPECT_TRUE(says(outside_.err, "no run is under way")) << outside_.err.captured;
}

TEST_F(RunCommandsTest, AnUnknownRunIsProbablyAnother) {
  record(at_the_gate(), true);
  for (const char* command : {"status", "watch", "report", "replay", "cancel"}) {
    EXPECT_EQ(outside_.run({command, "small-20261116-1a2c"}), 1) << command;
    EXPECT_TRUE(says(outside_.err, "Did you mean small-20261116-1a2b?")) << outside_.err.captured;
    EXPECT_EQ(outside_.run({command, "small-20261116-1a2c", "--json"}), 1);
    EXPECT_EQ(outside_.document()["error"]["code"], "not_found");
  }
}

TEST_F(RunCommandsTest, StatusOfARunThatGoesOn) {
  RunForTest run(small_workflow());
  run.start({{"args", {{"what", "the parser"}}}});
  record(run, true);
  EXPECT_EQ(outside_.run({"status", kRun}), 0);
  EXPECT_TRUE(says(outside_.out, "small-20261116-1a2b  running, started")) << outside_.out.captured;
  EXPECT_TRUE(says(outside_.out, "the parser"));
  EXPECT_TRUE(says(outside_.out, "/home/user/project"));
  EXPECT_TRUE(says(outside_.out, "Next: teamster watch small-20261116-1a2b"));
}

TEST_F(RunCommandsTest, StatusSaysWhoIsWaitedForAndWithWhichCode) {
  record(at_the_gate(), true);
  EXPECT_EQ(outside_.run({"status", kRun, "--json"}), 4);
  const Json status = outside_.document();
  EXPECT_EQ(status["status"], "waiting");
  EXPECT_EQ(status["phase"], "approve");
  EXPECT_EQ(status["args"], Json::parse(R"({"what":"the parser"})"));
  EXPECT_EQ(status["usage"], Json::parse(R"({"turns":1,"tokens":1200,"cost_usd":0.25})"));
  EXPECT_EQ(status["questions"][0]["id"], "small-20261116-1a2b/approve.1");
  EXPECT_EQ(status["open"], Json::parse(R"(["approve.1"])"));
  EXPECT_EQ(status["steps"][1]["id"], "build.1");
  EXPECT_EQ(status["steps"][1]["outcome"], "done");
  EXPECT_EQ(status["next"], "teamster approve small-20261116-1a2b/approve.1");
  EXPECT_EQ(outside_.run({"status"}), 0);
  EXPECT_TRUE(says(outside_.out, "teamster approve small-20261116-1a2b/approve.1")) << outside_.out.captured;
}

TEST_F(RunCommandsTest, StatusFitsTheTerminalAndCutsNothingOff) {
  RunForTest run = at_the_gate();
  record(run, true);
  outside_.variables["NO_COLOR"] = "1";
  outside_.output_is_terminal = true;
  EXPECT_EQ(outside_.run({"status"}), 0);
  const std::string shown = outside_.out.captured;
  EXPECT_TRUE(says(outside_.out, "0.25 USD")) << shown;
  EXPECT_FALSE(says(outside_.out, "…")) << shown;
  for (std::size_t at = 0; at < shown.size();) {
    const std::size_t end = shown.find('\n', at);
    EXPECT_LE(columns_of(std::string_view(shown).substr(at, end - at)), 80U) << shown;
    at = end + 1;
  }
  outside_.variables["COLUMNS"] = "200";
  EXPECT_EQ(outside_.run({"status"}), 0);
  EXPECT_TRUE(says(outside_.out, "1 turn, 1200 tokens, 0.25 USD\n")) << outside_.out.captured;
  outside_.variables["COLUMNS"] = "40";
  outside_.output_is_terminal = false;
  EXPECT_EQ(outside_.run({"status"}), 0);
  EXPECT_TRUE(says(outside_.out, "1 turn, 1200 tokens, 0.25 USD\n")) << "nothing is narrowed for another program";
}

TEST_F(RunCommandsTest, StatusShowsStatusWordsInColour) {
  record(at_the_gate(), true);
  outside_.output_is_terminal = true;
  EXPECT_EQ(outside_.run({"status"}), 0);
  EXPECT_TRUE(says(outside_.out, "\x1b[33mwaiting\x1b[0m")) << outside_.out.captured;
  outside_.variables["NO_COLOR"] = "1";
  EXPECT_EQ(outside_.run({"status"}), 0);
  EXPECT_FALSE(says(outside_.out, "\x1b")) << outside_.out.captured;
}

TEST_F(RunCommandsTest, StatusShowsRungsAndErrors) {
  RunForTest run(small_workflow());
  run.start();
  run.failed("build", "crash", "it \x1b[31mbroke");
  record(run, true);
  EXPECT_EQ(outside_.run({"status", kRun}), 0);
  EXPECT_TRUE(says(outside_.out, "failed: it \\x1b[31mbroke") || says(outside_.out, "failed: it "));
  EXPECT_FALSE(says(outside_.out, "\x1b[31m")) << "nobody writes to our terminal";
  EXPECT_TRUE(says(outside_.out, "open (retry)")) << outside_.out.captured;
}

TEST_F(RunCommandsTest, ARunThatNobodyDrivesIsInterrupted) {
  RunForTest run(small_workflow());
  run.start();
  record(run, false);
  EXPECT_EQ(outside_.run({"status"}), 0);
  EXPECT_TRUE(says(outside_.out, "small-20261116-1a2b is interrupted: teamster resume small-20261116-1a2b"))
      << outside_.out.captured;
  EXPECT_EQ(outside_.run({"status", kRun, "--json"}), 0);
  EXPECT_EQ(outside_.document()["status"], "interrupted");
  EXPECT_EQ(outside_.run({"watch", kRun}), 1) << "it does not wait for ever";
  EXPECT_TRUE(says(outside_.err, "Go on with `teamster resume small-20261116-1a2b`"));
}

TEST_F(RunCommandsTest, AnInterruptedRunThatAsksIsAnsweredFirst) {
  record(at_the_gate(), false);
  EXPECT_EQ(outside_.run({"status", kRun, "--json"}), 4);
  EXPECT_EQ(outside_.document()["next"],
            "teamster approve small-20261116-1a2b/approve.1, then teamster resume small-20261116-1a2b");
}

TEST_F(RunCommandsTest, StatusFollowsTheEnd) {
  RunForTest run = at_the_gate();
  run.done("approve", {{"approved", true}, {"by", "kim"}});
  run.done("which", {{"answer", "left"}, {"by", "kim"}});
  run.finish();
  record(run, true);
  EXPECT_EQ(outside_.run({"status", kRun}), 0);
  EXPECT_TRUE(says(outside_.out, "  done, started")) << outside_.out.captured;
  EXPECT_EQ(outside_.run({"report", kRun, "--json"}), 0);
  EXPECT_EQ(outside_.document(), Json::parse(R"({"run":"small-20261116-1a2b","status":"done","reason":"",
      "report":"small-20261116-1a2b: done","lead":{"turns":0,"tokens":0,"cost_usd":0},
      "members":{"turns":1,"tokens":1200,"cost_usd":0.25}})"));
  EXPECT_EQ(outside_.run({"watch", kRun}), 0);
  EXPECT_TRUE(says(outside_.out, "build.1 done")) << outside_.out.captured;
}

TEST_F(RunCommandsTest, ABlockedRunIsExitCodeOne) {
  RunForTest run(small_workflow());
  run.start();
  run.failed("build", "login", "nobody is logged in");
  run.done("build/stuck", {{"answer", "abort"}, {"by", "kim"}});
  run.finish();
  record(run, true);
  EXPECT_EQ(outside_.run({"status", kRun}), 1);
  EXPECT_TRUE(says(outside_.out, "build cannot go on: nobody is logged in; the owner chose to stop"));
  EXPECT_EQ(outside_.run({"watch", kRun}), 1);
  EXPECT_EQ(outside_.run({"report", kRun}), 0) << "it has one";
}

TEST_F(RunCommandsTest, OldRunsAreShownWhenAskedFor) {
  for (int number = 1; number <= 7; ++number) {
    const std::string name = "small-20261116-000" + std::to_string(number);
    RunForTest run(small_workflow(name));
    run.start();
    run.happens({event::CancelAsked{{.by = "kim"}}});
    run.finish();
    record(run, true, name);
  }
  outside_.run({"status", "--json"});
  EXPECT_EQ(outside_.document()["runs"].size(), 5U);
  EXPECT_EQ(outside_.document()["runs"][0]["run"], "small-20261116-0003");
  outside_.run({"status", "--all", "--json"});
  EXPECT_EQ(outside_.document()["runs"].size(), 7U);
  EXPECT_EQ(outside_.run({"status", "small-20261116-0001", "--all"}), 2);
}

TEST_F(RunCommandsTest, ThereIsNoReportBeforeTheEnd) {
  record(at_the_gate(), true);
  EXPECT_EQ(outside_.run({"report", kRun}), 1);
  EXPECT_TRUE(says(outside_.err, "has no report yet: it is waiting")) << outside_.err.captured;
}

TEST_F(RunCommandsTest, WatchNeedsOneRun) {
  record(at_the_gate(), true);
  record(at_the_gate("small-20261116-ffff"), true, "small-20261116-ffff");
  EXPECT_EQ(outside_.run({"watch"}), 2);
  EXPECT_TRUE(says(outside_.err, "2 runs are under way"));
}

TEST_F(RunCommandsTest, WatchShowsQuestionsAndOnlyWhatIsNew) {
  RunForTest run = at_the_gate();
  record(run, false);
  outside_.run({"watch", kRun});
  EXPECT_TRUE(says(outside_.out, "Is the parser right?")) << outside_.out.captured;
  outside_.run({"watch", kRun, "--after", "3"});
  EXPECT_EQ(outside_.out.captured, "");
  outside_.run({"watch", kRun, "--after", "2", "--json"});
  EXPECT_TRUE(says(outside_.out, R"("kind":"step.done")")) << outside_.out.captured;
}

TEST_F(RunCommandsTest, WatchAsksOnlyWhatIsOpenAndSaysWhoTookItOver) {
  RunForTest run = at_the_gate();
  run.done("approve", {{"approved", true}, {"by", "kim"}});
  record(run, false);
  outside_.run({"watch", kRun});
  EXPECT_FALSE(says(outside_.out, "teamster approve")) << "it is approved: " << outside_.out.captured;
  EXPECT_TRUE(says(outside_.out, "approve.1 done, approved yes by kim")) << outside_.out.captured;
  EXPECT_TRUE(says(outside_.out, "Which way?")) << outside_.out.captured;
  // By one that has died since, or watching would go on for ever.
  Json holder = {{"pid", 999'998}, {"start", 1}, {"boot", "b"}};
  ASSERT_TRUE(rules_.call("run.lease", {{"run", kRun}, {"holder", std::move(holder)}}));
  outside_.run({"watch", kRun, "--after", "4"});
  EXPECT_TRUE(says(outside_.out, "drives it from here")) << outside_.out.captured;
}

// --- replay

TEST_F(RunCommandsTest, ReplayGetsTheSame) {
  record(at_the_gate(), true);
  save_bundle();
  EXPECT_EQ(outside_.run({"replay", kRun}), 0);
  EXPECT_EQ(outside_.out.captured,
            "small-20261116-1a2b: 3 records, in phase approve\n  this program decides the same today\n");
  EXPECT_EQ(outside_.run({"replay", kRun, "--json"}), 0);
  EXPECT_EQ(outside_.document()["state"]["phase"], "approve");
  EXPECT_EQ(outside_.document()["differences"], Json::array());
  EXPECT_EQ(outside_.document()["snapshot"], nullptr);
}

TEST_F(RunCommandsTest, ReplayShowsWhatItWouldDecideOtherwise) {
  RunForTest run(small_workflow());
  run.start();
  record(run, true);
  append(kRun, std::string(event::Done::kKind), Json::parse(R"({"step":"build","attempt":1,"answer":{},"then":[
      {"do":"settle","phase":"build","sequence":1,"loops":{}},{"do":"enter","phase":"which","sender":"build","loops":{}}]})"));
  save_bundle();
  EXPECT_EQ(outside_.run({"replay", kRun}), 0) << "what was recorded counts";
  EXPECT_TRUE(says(outside_.out, "in phase which"));
  EXPECT_TRUE(
      says(outside_.out, "record 3, step.done: recorded settle, enter; today it would be settle, enter, ask approve.1"))
      << outside_.out.captured;
}

TEST_F(RunCommandsTest, ReplayWithoutTheWorkflowFoldsAnyway) {
  record(at_the_gate(), true);
  EXPECT_EQ(outside_.run({"replay", kRun}), 0);
  EXPECT_TRUE(says(outside_.out, "nothing is decided again")) << outside_.out.captured;
}

TEST_F(RunCommandsTest, ReplayComparesTheSnapshot) {
  const RunForTest run = at_the_gate();
  record(run, true);
  save_bundle();
  const auto write = [&](Json snapshot) {
    if (snapshot.is_object()) snapshot["digest"] = workflow::digest(small_bundle());
    const std::string path = engine::run_directory(home_, kRun) + "/snapshot.json";
    ASSERT_TRUE(terminal_.view().files.write_atomically(path, dump_json(snapshot), 0600));
  };
  write({{"n", 3}, {"state", to_json(run.state)}});
  EXPECT_EQ(outside_.run({"replay", kRun}), 0);
  EXPECT_TRUE(says(outside_.out, "the snapshot is the same"));
  EXPECT_EQ(outside_.run({"status", "--json"}), 0);
  EXPECT_EQ(outside_.document()["runs"][0]["phase"], "approve");
  Json wrong = to_json(run.state);
  wrong["phase"] = "which";
  write({{"n", 3}, {"state", wrong}});
  EXPECT_EQ(outside_.run({"replay", kRun, "--json"}), 1);
  EXPECT_EQ(outside_.document()["snapshot"], Json::parse(R"({"same":false,"differs_in":["phase"]})"));
  write("torn");
  EXPECT_EQ(outside_.run({"replay", kRun}), 1);
  EXPECT_TRUE(says(outside_.out, "it is torn"));
}

// --- cancel

TEST_F(RunCommandsTest, CancelTellsTheEngineAndWaits) {
  RunForTest run = at_the_gate();
  record(run, true);
  after_call_ = [&](const hub::Request& request) {
    if (request.op != "run.tell") return;
    EXPECT_EQ(request.args["what"], "cancel");
    EXPECT_EQ(request.args["body"], Json::parse(R"({"by":"kim","how":"terminal"})"));
    run.happens({event::CancelAsked{{.told = 4, .by = "kim"}}});
    run.finish();
    record(run, true);
  };
  EXPECT_EQ(outside_.run({"cancel", kRun}), 0);
  EXPECT_EQ(outside_.out.captured, "small-20261116-1a2b is cancelled\n");
  EXPECT_EQ(outside_.run({"cancel", kRun}), 3);
  EXPECT_TRUE(says(outside_.err, "has ended: cancelled")) << outside_.err.captured;
}

TEST_F(RunCommandsTest, CancelDoesNotWaitForEver) {
  record(at_the_gate(), true);
  EXPECT_EQ(outside_.run({"cancel", kRun, "--timeout", "1s"}), 1);
  EXPECT_TRUE(says(outside_.out, "was told"));
}

}  // namespace
}  // namespace teamster::cli
