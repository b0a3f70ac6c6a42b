// Whole runs of implement-spec with scripted agents, as real processes: what they leave behind and what
// they get over.
#include <algorithm>
#include <filesystem>

#include "base/sha256.h"
#include "base/text.h"
#include "e2e/spec_project.h"

namespace teamster::e2e {
namespace {

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

using Rehearsal = SpecProject;

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
