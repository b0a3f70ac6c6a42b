// Whole runs of implement-spec with scripted agents, as real processes: what they leave behind and what
// they get over.
#include <csignal>
#include <filesystem>

#include "base/sha256.h"
#include "base/text.h"
#include "e2e/spec_project.h"

namespace teamster::e2e {
namespace {

namespace fs = std::filesystem;

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

constexpr const char* kGated = R"(
name: gated
about: Works when it may. Nothing tells one run of it from another.
team: { name: gated, scope: run }
roles:
  worker: { about: works }
phases:
  - id: approve
    kind: gate
    question: { text: 'Shall it go on?', to: kim }
    on: [ { when: { approved: false }, block: 'no' } ]
  - { id: work, role: worker, template: work.md, returns: done.json }
)";

class Rehearsal : public SpecProject {
 protected:
  Rehearsal() {
    fs::create_directories(temporary_);
    variables_.push_back("TMPDIR=" + temporary_);
  }
  // A workflow that brings its project and scripts along.
  std::string add_gated() const {
    const std::string place = home_.scratch() + "/gated";
    fs::create_directories(place + "/example/rehearsal");
    write_file(place + "/workflow.yaml", kGated);
    write_file(place + "/work.md", "Work.");
    write_file(place + "/done.json", R"({"type": "object"})");
    write_file(place + "/rehearsal.json", R"({"project": "./example", "arguments": []})");
    write_file(place + "/example/hello.txt", "hello\n");
    write_file(place + "/example/rehearsal/worker.json",
               R"({"turns": [], "otherwise": [{"append": {"path": "hello.txt", "text": "again\n"}}, {"say": "{}"}]})");
    write_file(place + "/example/rehearsal/people.json", R"({"approve": {"approved": true}})");
    return place;
  }
  Outcome run_in(const std::string& home, const Words& words) const {
    Words command = {"/usr/bin/env", "TEAMSTER_HOME=" + home, TEAMSTER_BINARY};
    command.insert(command.end(), words.begin(), words.end());
    Process process = start(command, home_.scratch());
    return outcome_of(process);
  }
  static int count(const std::string& text, const std::string& part) {
    int found = 0;
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
    return found;
  }

  const std::string temporary_ = home_.scratch() + "/tmp";
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

TEST_F(Rehearsal, EachFaultStrikesOnceWhicheverEngineLives) {
  const Outcome played =
      rehearse({"--fault", "kill engine@step.done:implement.1:after", "--fault", "kill engine@step.done:verify.1:after",
                "--fault", "kill engine@run.ended:after", "--fault", "crash builder@fix"});
  ASSERT_EQ(played.exit, 0) << played;
  EXPECT_EQ(count(played.out, "the engine was killed by signal 9"), 3) << played;
  EXPECT_EQ(count(played.out, "fault: builder is struck at fix"), 1) << played;
}

TEST_F(Rehearsal, AFaultThatNamesNobodyIsRefusedBeforeAnythingStarts) {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"crash bilder@fix.1", "Did you mean builder?"},
      {"crash builder@fx", "Did you mean fix?"},
      {"mute builder@verify", "workflow show"},
      {"kill engine@step.don:verify.1:after", "Did you mean step.done?"},
      {"kill engine@step.done:verfy.1:after", "Did you mean verify?"},
      {"kill engine@step.done:verify:after", "verify.1"}};
  for (const auto& [fault, next] : wrong) {
    const Outcome played = rehearse({"--fault", fault, "--json"});
    EXPECT_EQ(played.exit, 2) << fault << played;
    EXPECT_NE(played.next().find(next), std::string::npos) << fault << played;
  }
  use_example("plain");
  EXPECT_EQ(run_spec({"--fault", "crash bilder@fix.1"}).exit, 2) << "as of `run`";
}

TEST_F(Rehearsal, AFaultThatNeverStruckIsToldAtTheEnd) {
  const Words faults = {"--fault", "crash builder@fix.9", "--fault", "slow tester@run-tests"};
  const Outcome played = rehearse(faults);
  EXPECT_EQ(played.exit, 1) << played;
  EXPECT_EQ(played.err, "fault 'crash builder@fix.9' never struck\n");
  Words for_script = faults;
  for_script.emplace_back("--json");
  const Outcome document = rehearse(for_script);
  EXPECT_EQ(document.exit, 1) << document;
  EXPECT_EQ(document.json["never_struck"], Json::array({"crash builder@fix.9"})) << document;
  EXPECT_EQ(document.json["exit"], 1);
}

TEST_F(Rehearsal, PeopleAnswerWhicheverEngineAsks) {
  const Outcome played =
      run({"rehearse", add_gated(), "--keep", project_, "--fault", "kill engine@run.team_ready:team.1:before",
           "--fault", "kill engine@step.done:work.1:after"},
          home_.scratch());
  ASSERT_EQ(played.exit, 0) << played;
  EXPECT_EQ(count(played.out, "the engine was killed"), 2) << played;
  EXPECT_EQ(shell("cat hello.txt"), "hello\nagain\n") << "it is one run, and no step was played twice";
}

TEST_F(Rehearsal, AKeptRunCanBeLookedAt) {
  const Outcome played = rehearse({"--keep", project_, "--json"});
  ASSERT_EQ(played.exit, 0) << played;
  const std::string home = played.json["home"];
  const std::string name = played.json["run"];
  for (const char* command : {"status", "report", "log", "replay"})
    EXPECT_EQ(run_in(home, {command, name}).exit, 0) << command;
  run_in(home, {"hub", "--stop"});
  EXPECT_EQ(shell("git status --porcelain"), "") << "git does not see it";
  const Outcome again = rehearse({"--keep", project_ + "/more of it"});
  ASSERT_EQ(again.exit, 0) << again;
  EXPECT_NE(
      again.out.find("\n  TEAMSTER_HOME='" + project_ + "/more of it/.git/rehearsal/home' \\\n    teamster report "),
      std::string::npos)
      << again;
}

TEST_F(Rehearsal, WithoutKeepNothingIsLeftAndItSaysSo) {
  const Outcome played = rehearse({});
  ASSERT_EQ(played.exit, 0) << played;
  EXPECT_NE(played.out.find("is gone with its rehearsal; `--keep DIRECTORY` keeps both"), std::string::npos) << played;
  EXPECT_EQ(names_in(temporary_), Names{});
}

TEST_F(Rehearsal, NorWhenItFailsEarlyOrIsInterrupted) {
  fs::create_directories(scripts_);
  const Outcome missing = rehearse({"--script", scripts_, "--json"});
  EXPECT_EQ(missing.exit, 1) << missing;
  EXPECT_EQ(missing.what(), scripts_ + " has no script for builder, reviewer, tester");
  EXPECT_NE(missing.next().find("--script"), std::string::npos);
  EXPECT_EQ(missing.next().find("--scripts"), std::string::npos) << "that is a flag of another command";
  write_file(scripts_ + "/worker.json", R"({"turns": [], "otherwise": [{"run": "exec sleep 1000"}]})");
  Process played =
      start({TEAMSTER_BINARY, "rehearse", add_gated(), "--keep", project_, "--script", scripts_}, home_.scratch());
  ASSERT_TRUE(eventually([&] { return played.out().find("waits for a person") != std::string::npos; })) << played.out();
  EXPECT_EQ(played.wait(), 4) << "nobody is there to approve";
  write_file(scripts_ + "/people.json", R"({"approve": {"approved": true}})");
  Process cut = start({TEAMSTER_BINARY, "rehearse", add_gated(), "--script", scripts_}, home_.scratch());
  ASSERT_TRUE(eventually([&] { return cut.out().find("work.1 → worker") != std::string::npos; })) << cut.out();
  EXPECT_EQ(names_in(temporary_).size(), 1U);
  cut.kill(SIGINT);
  EXPECT_EQ(cut.wait(), 1) << cut.out();
  EXPECT_NE(cut.out().find("is gone with its rehearsal"), std::string::npos) << cut.out();
  EXPECT_EQ(names_in(temporary_), Names{});
}

TEST_F(Rehearsal, PlaysOnACopyOfAProjectOfTheUser) {
  use_example("plain");
  write_file(project_ + "/draft.txt", "not committed");
  const std::string before = shell("git rev-parse HEAD");
  const std::string kept = home_.scratch() + "/kept";
  const Outcome played =
      run({"rehearse", "implement-spec", "01", "--project", ".", "--script", scripts_, "--keep", kept}, project_);
  ASSERT_EQ(played.exit, 0) << played;
  EXPECT_EQ(shell("git rev-parse HEAD"), before) << "theirs is left alone";
  EXPECT_EQ(shell("git -C ../kept log --format=%s | tail -1"), "begin\n") << "its history is there";
  EXPECT_EQ(shell("git -C ../kept remote"), "") << "and nothing can be pushed";
  EXPECT_FALSE(fs::exists(kept + "/draft.txt"));
  EXPECT_TRUE(fs::exists(kept + "/progress/spec-01/manifest.json"));
  const Outcome nowhere =
      run({"rehearse", "implement-spec", "01", "--project", scripts_, "--script", scripts_, "--json"}, project_);
  EXPECT_EQ(nowhere.exit, 2) << nowhere;
  EXPECT_NE(nowhere.what().find("no git repository"), std::string::npos) << nowhere;
}

TEST_F(Rehearsal, LeavesNothingInTheDirectoryForTemporaryFiles) {
  const std::string temporary = home_.scratch() + "/tmp";
  std::filesystem::create_directory(temporary);
  variables_ = {"TMPDIR=" + temporary};
  const Outcome played = rehearse({"--keep", project_, "--fault", "kill engine@step.done:record.1:after"});
  ASSERT_EQ(played.exit, 0) << played;
  const std::string of_agents = to_hex(sha256(project_ + "/.git/rehearsal/home")).substr(0, 16);
  EXPECT_FALSE(std::filesystem::exists("/tmp/teamster-" + of_agents));

  const std::string workflow = project_ + "/.teamster/workflows/broken";
  std::filesystem::create_directories(workflow);
  write_file(workflow + "/workflow.yaml", "name: broken\nphases: [ { id: tell, kind: notify, text: done } ]\n");
  write_file(workflow + "/rehearsal.json", R"({ "project": "no-such-example" })");
  EXPECT_EQ(run({"rehearse", workflow}, project_).exit, 1) << "its stage cannot be set";
  EXPECT_EQ(names_in(temporary), Names{});
}

TEST_F(Rehearsal, RefusesWhatMakesNoSense) {
  EXPECT_EQ(rehearse({"--fault", "crash builder"}).exit, 2);
  EXPECT_EQ(rehearse({"--fault", "burn builder@fix.1"}).exit, 2);
  EXPECT_EQ(rehearse({"--fault", "kill engine@fix.1"}).exit, 2) << "kill wants a point of the journal";
  EXPECT_EQ(rehearse({"--keep", std::string(TEAMSTER_SOURCE_DIR)}).exit, 3) << "not empty";
  EXPECT_EQ(run({"rehearse", "no-such-workflow"}, home_.scratch()).exit, 1);
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
