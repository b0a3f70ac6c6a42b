// Teammates that do not do their work, as real teams have shown them: who only acknowledges, says
// nothing, sends an old result, is mute, or claims what is not so. The run has to notice and get over it.
#include <algorithm>

#include "e2e/spec_project.h"

namespace teamster::e2e {
namespace {

class Teammates : public SpecProject {
 protected:
  Teammates() { use_example("plain"); }

  static int count(const Names& names, const std::string& name) {
    return static_cast<int>(std::count(names.begin(), names.end(), name));
  }
  // Each turn of the role notes its session: "2 SESSION" for phase 2.
  void note_sessions(const std::string& role) const {
    change(role, [](Json& script) {
      for (auto& turn : script["turns"]) {
        const auto words = turn["when"]["contains"].get<std::string>();
        if (words.find("[PHASE ") == std::string::npos) continue;
        const std::string phase = words.substr(words.find("[PHASE ") + 7, 1);
        Json note = Json::parse(R"({"append": {"path": ".git/sessions", "text": ""}})");
        note["append"]["text"] = phase + " {{SESSION}}\n";
        turn["steps"].insert(turn["steps"].begin(), note);
      }
    });
  }
  Names sessions_of(const std::string& phase) const {
    Names sessions;
    std::istringstream lines(read_file(project_ + "/.git/sessions"));
    std::string number;
    std::string session;
    while (lines >> number >> session)
      if (number == phase) sessions.push_back(session);
    return sessions;
  }
  // The reviewer was asked in vain for a phase and told what was missing, a fresh one did it, and the first one stayed.
  void expect_replaced_for(const std::string& phase, const Outcome& ran) const {
    ASSERT_EQ(ran.exit, 0) << ran;
    const Names steps = asked(ran.json["run"]);
    EXPECT_EQ(count(steps, phase + " reviewer"), 2);
    EXPECT_EQ(count(steps, phase + " reviewer-fresh-3"), 1);
    EXPECT_EQ(count(steps, "code-review reviewer"), 1) << "the teammate stayed";
    EXPECT_EQ(names_in(project_ + "/progress/spec-01").size(), 11U);
    EXPECT_EQ(manifest()["status"], "done");
  }
};

TEST_F(Teammates, WhoOnlyAcknowledgesIsReplacedForThatPhase) {
  spoil("reviewer", "[PHASE 2:", "Understood, I will look at it.");
  note_sessions("reviewer");
  const Outcome ran = run_spec();
  expect_replaced_for("verify", ran);
  const Names verify = sessions_of("2");
  ASSERT_EQ(verify.size(), 2U);
  EXPECT_NE(verify[0], verify[1]) << "the second that was given the phase was another agent";
  EXPECT_EQ(sessions_of("8"), Names{verify[0]}) << "the teammate goes on in its own session";
  const auto failed = records(ran.json["run"], "step.failed");
  ASSERT_EQ(failed.size(), 2U);
  for (const auto& each : failed) EXPECT_EQ(each["body"]["fault"], "protocol") << each;
}

TEST_F(Teammates, WhoSaysNothingIsReplacedForThatPhase) {
  spoil("reviewer", "[PHASE 2:", "");
  change("reviewer", [](Json& script) { script["otherwise"] = Json::parse(R"([{"think": "hm"}])"); });
  expect_replaced_for("verify", run_spec());
}

TEST_F(Teammates, WhoAnswersInProseIsAskedForJsonOnce) {
  spoil("reviewer", "[PHASE 2:", "It is all fine, { trust me ].");
  change("reviewer", [&](Json& script) {
    script["otherwise"] =
        Json::parse(R"([{"run": {"command": "cat .git/answer", "save": "words"}}, {"say": "{{words}}"}])");
  });
  const Outcome ran = run_spec();
  ASSERT_EQ(ran.exit, 0) << ran;
  EXPECT_EQ(count(asked(ran.json["run"]), "verify reviewer"), 2) << "it mended its answer";
  EXPECT_EQ(records(ran.json["run"], "step.failed").size(), 1U);
}

TEST_F(Teammates, TheResultOfAnEarlierPhaseIsNoAnswer) {
  const std::string other =
      "[PHASE 2 RESULT]\n```json\n{\"status\":\"SUCCESS\",\"summary\":\"All clear.\","
      "\"screenshots_reviewed\":0,\"visual_issues\":[],\"js_errors\":[],\"all_clear\":true}\n```\n";
  spoil("reviewer", "[PHASE 7:", other);
  const Outcome ran = run_spec();
  expect_replaced_for("screenshots", ran);
  EXPECT_EQ(records(ran.json["run"], "step.failed").at(0)["body"]["fault"], "unusable");
}

// Nothing that passes: another try would only play the same again, and nobody waits for it.
TEST_F(Teammates, AScriptThatGoesWrongBlocksAtOnce) {
  change("reviewer", [](Json& script) {
    Json& steps = script["turns"][0]["steps"];
    steps.insert(steps.begin(), Json::parse(R"({"run": {"command": "exit 3", "expect_exit": 0}})"));
  });
  const Outcome ran = run_spec();
  EXPECT_EQ(ran.exit, 1) << ran;
  EXPECT_EQ(ran.json["status"], "blocked") << ran;
  EXPECT_EQ(
      ran.json["reason"],
      "verify: " + scripts_ + "/reviewer.json, turn 1: the script expected exit code 0 of 'exit 3', and it was 3");
  const auto failed = records(ran.json["run"], "step.failed");
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_EQ(failed[0]["body"]["fault"], "script");
  EXPECT_TRUE(records(ran.json["run"], "step.due").empty());
}

// In the home of a rehearsal nobody has to wait for the quarter of an hour that silence may last.
TEST_F(Teammates, WhoIsMuteIsNoticedAndStartedAgain) {
  make_rehearsal_home();
  const Outcome ran = run_spec({"--fault", "mute tester@run-tests"});
  ASSERT_EQ(ran.exit, 0) << ran;
  EXPECT_EQ(manifest()["status"], "done");
  const auto done = records(ran.json["run"], "step.done");
  const auto tested = std::find_if(done.begin(), done.end(), [](const Json& record) {
    return record["body"]["step"] == "run-tests" && record["body"]["attempt"] == 1;
  });
  ASSERT_NE(tested, done.end());
  const Json restarts = (*tested)["body"].value("restarts", Json::array());
  ASSERT_EQ(restarts.size(), 1U) << *tested;
  EXPECT_NE(restarts[0].get<std::string>().find("silent: the agent said nothing for 15 m"), std::string::npos)
      << restarts;
  const auto at = [](const Json& record) { return parse_iso8601(record["at"].get<std::string>())->unix_ms; };
  EXPECT_GE(at(*tested) - at(*std::prev(tested)), 15 * 60 * 1000) << "the journal has the time it would have taken";
}

TEST_F(Teammates, TheCheckWinsOverWhatTheTesterClaims) {
  always_answer("tester", "[PHASE 5: RUN TESTS] spec 01\n", [](Json& answer) {
    answer["all_passed"] = true;
    answer["unit_tests"] = Json::parse(R"({"passed": true, "total": 6, "failed": 0, "errors": []})");
  });
  const Outcome ran = run_spec({"--set", "checks.test=sh test.sh"});
  ASSERT_EQ(ran.exit, 0) << ran;
  const Json claimed = Json::parse(read_file(project_ + "/progress/spec-01/005-p05-run-tests.json"));
  EXPECT_EQ(claimed["all_passed"], false) << claimed;
  EXPECT_EQ(claimed["unit_tests"]["passed"], false);
  EXPECT_NE(claimed["unit_tests"]["errors"].dump().find("not ok shout-blanks-in-a-word"), std::string::npos) << claimed;
  EXPECT_EQ(count(asked(ran.json["run"]), "fix builder"), 1);
  EXPECT_EQ(manifest()["iterations"]["test_fix"], 1);
  const Json proved = Json::parse(read_file(project_ + "/progress/spec-01/007-p05-run-tests.json"));
  EXPECT_EQ(proved["all_passed"], true) << "and it is asked again when it is mended";
}

}  // namespace
}  // namespace teamster::e2e
