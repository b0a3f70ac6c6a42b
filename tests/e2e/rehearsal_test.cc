// Whole runs of implement-spec with scripted agents, as real processes: what they leave behind, what
// they get over, and what becomes of teammates that do not do their work.
#include <algorithm>
#include <filesystem>

#include "e2e/fixture.h"

namespace teamster::e2e {
namespace {

using Names = std::vector<std::string>;

const Names kRecord = {"001-p01-implement.json",
                       "002-p02-verify.json",
                       "003-p03-unit-tests.json",
                       "004-p04-e2e-tests.json",
                       "005-p05-run-tests.json",
                       "006-p06-fix.json",
                       "007-p05-run-tests.json",
                       "008-p07-screenshots.json",
                       "009-p08-code-review.json",
                       "010-p09-commit.json",
                       "manifest.json"};

Names names_in(const std::string& directory) {
  Names names;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

class Rehearsal : public testing::Test {
 protected:
  Process start(const Words& command, const std::string& directory) const {
    Start start;
    start.command = {"/usr/bin/env", "-C", directory};
    start.command.insert(start.command.end(), command.begin(), command.end());
    start.environment = {"TEAMSTER_HOME=" + home_.path(), "HOME=" + home_.scratch(), "PATH=/usr/bin:/bin",
                         "GIT_CONFIG_NOSYSTEM=1"};
    return Process(start);
  }
  std::string shell(const std::string& command) const {
    Process process = start({"/bin/sh", "-c", command}, project_);
    EXPECT_EQ(process.wait(), 0) << command << process.err();
    return process.out();
  }
  Outcome run(Words words, const std::string& directory) const {
    words.insert(words.begin(), TEAMSTER_BINARY);
    Process process = start(words, directory);
    Outcome outcome;
    outcome.exit = process.wait().value_or(-1);
    outcome.out = process.out();
    outcome.err = process.err();
    outcome.json = Json::parse(outcome.out, nullptr, false);
    return outcome;
  }
  Outcome rehearse(Words more) const {
    Words words = {"rehearse", "implement-spec"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words, home_.scratch());
  }
  void use_example(const std::string& name) const {
    namespace fs = std::filesystem;
    fs::copy(std::string(TEAMSTER_SOURCE_DIR) + "/examples/" + name, project_, fs::copy_options::recursive);
    fs::rename(project_ + "/rehearsal", scripts_);
    shell(
        "git init -q . && git config user.name Ada && git config user.email ada@example.org && git add -A && "
        "git commit -q -m begin");
  }
  // The first answer of a phase becomes other words; a second agent gives the one of the script.
  void spoil(const std::string& role, const std::string& phase, const std::string& words) const {
    Json script = Json::parse(read_file(scripts_ + "/" + role + ".json"));
    for (auto& turn : script["turns"]) {
      if (turn["when"]["contains"].get<std::string>().find(phase) == std::string::npos) continue;
      write_file(project_ + "/.git/answer", turn["steps"].back()["say"]);
      write_file(project_ + "/.git/words", words);
      turn["steps"] = Json::parse(
          R"([{"run": {"command": "if [ -e .git/tried ]; then cat .git/answer; else touch .git/tried; cat .git/words; fi",
                       "save": "words"}},
              {"say": "{{words}}"}])");
    }
    script["otherwise"] = Json::parse(R"([{"say": "I am still on it."}])");
    write_file(scripts_ + "/" + role + ".json", script.dump());
  }
  // Who was asked for each step, in order.
  Names asked(const std::string& run) const {
    Names names;
    const Json events = home_.ok({"log", run})["events"];
    for (const auto& event : events)
      for (const auto& command : event["body"].value("then", Json::array()))
        if (command["do"] == "turn")
          names.push_back(command["step"].get<std::string>() + " " + command["member"].get<std::string>());
    return names;
  }
  Outcome run_spec() const {
    return run({"run", "implement-spec", "01", "--driver", "script", "--scripts", scripts_, "--json"}, project_);
  }

  Home home_;
  const std::string project_ = home_.scratch() + "/project";
  const std::string scripts_ = home_.scratch() + "/scripts";
};

TEST_F(Rehearsal, LeavesACommitATagAndTheRecordOfIt) {
  const Outcome played = rehearse({"--keep", project_});
  ASSERT_EQ(played.exit, 0) << played;
  EXPECT_EQ(names_in(project_ + "/progress/spec-01"), kRecord);
  const Json manifest = Json::parse(read_file(project_ + "/progress/spec-01/manifest.json"));
  EXPECT_EQ(manifest["status"], "done");
  EXPECT_EQ(manifest["current_phase"], 10);
  EXPECT_EQ(manifest["next_sequence"], 11);
  EXPECT_EQ(manifest["iterations"], Json::parse(R"({"verify":0,"test_fix":1,"refactor":0})"));
  EXPECT_EQ(shell("git status --porcelain"), "");
  EXPECT_EQ(shell("git log --format='%s %D' | sed 's/HEAD -> [a-z]*, //'"),
            "chore: record spec 01 tag: step-1\nfeat: implement spec 01 - add \nchore: begin \n");
}

TEST_F(Rehearsal, GetsOverFaults) {
  const Outcome played = rehearse({"--keep", project_, "--fault", "kill engine@step.done:verify.1:after", "--fault",
                                   "kill hub@step.done:unit-tests.1:before", "--fault", "crash builder@fix.1"});
  ASSERT_EQ(played.exit, 0) << played;
  EXPECT_NE(played.out.find("the engine was killed by signal 9"), std::string::npos) << played;
  EXPECT_EQ(names_in(project_ + "/progress/spec-01"), kRecord);
}

TEST_F(Rehearsal, RefusesWhatMakesNoSense) {
  EXPECT_EQ(rehearse({"--fault", "crash builder"}).exit, 2);
  EXPECT_EQ(rehearse({"--fault", "burn builder@fix.1"}).exit, 2);
  EXPECT_EQ(rehearse({"--fault", "kill engine@fix.1"}).exit, 2) << "kill wants a point of the journal";
  EXPECT_EQ(rehearse({"--keep", std::string(TEAMSTER_SOURCE_DIR)}).exit, 3) << "not empty";
  EXPECT_EQ(run({"rehearse", "no-such-workflow"}, home_.scratch()).exit, 1);
}

TEST_F(Rehearsal, ATeammateThatOnlyAcknowledgesIsReplacedForThatPhase) {
  use_example("plain");
  spoil("reviewer", "[PHASE 2:", "Understood, I will look at it.");
  const Outcome ran = run_spec();
  ASSERT_EQ(ran.exit, 0) << ran;
  const Names steps = asked(ran.json["run"]);
  EXPECT_EQ(std::count(steps.begin(), steps.end(), "verify reviewer"), 1);
  EXPECT_EQ(std::count(steps.begin(), steps.end(), "verify reviewer-fresh-2"), 1);
  EXPECT_EQ(std::count(steps.begin(), steps.end(), "code-review reviewer"), 1) << "the teammate stayed";
  EXPECT_EQ(names_in(project_ + "/progress/spec-01"), kRecord);
}

TEST_F(Rehearsal, TheResultOfAnotherPhaseIsNoAnswer) {
  use_example("plain");
  const std::string other =
      "[PHASE 2 RESULT]\n```json\n{\"status\":\"SUCCESS\",\"summary\":\"All clear.\","
      "\"screenshots_reviewed\":0,\"visual_issues\":[],\"js_errors\":[],\"all_clear\":true}\n```\n";
  spoil("reviewer", "[PHASE 7:", other);
  const Outcome ran = run_spec();
  ASSERT_EQ(ran.exit, 0) << ran;
  const Names steps = asked(ran.json["run"]);
  EXPECT_EQ(std::count(steps.begin(), steps.end(), "screenshots reviewer-fresh-2"), 1) << ran;
}

TEST_F(Rehearsal, AllSpecsInTheOrderOfTheirDependencies) {
  use_example("notes");
  const Words words = {"run", "implement-spec", "--all", "--driver", "script", "--scripts", scripts_};
  const Outcome ran = run(words, project_);
  ASSERT_EQ(ran.exit, 0) << ran;
  EXPECT_EQ(shell("git log --reverse --format=%s | grep ^feat"),
            "feat: implement spec 01 - add\nfeat: implement spec 02 - list\nfeat: implement spec 05 - remove\n"
            "feat: implement spec 03 - edit\nfeat: implement spec 04 - undo\n");
  EXPECT_EQ(shell("git tag"), "done\nstep-1\nstep-2\nstep-3\nstep-4\n");
  EXPECT_EQ(shell("git status --porcelain"), "");
  const Outcome again = run(words, project_);
  EXPECT_EQ(again.exit, 0) << again;
  EXPECT_EQ(again.out.find("run implement-spec-"), std::string::npos) << "nothing is left to do";
}

}  // namespace
}  // namespace teamster::e2e
