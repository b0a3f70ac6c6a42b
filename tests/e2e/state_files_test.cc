// `resume --state`: a run goes on from a file that another home, or another tool, has left.
#include <filesystem>

#include "e2e/fixture.h"

namespace teamster::e2e {
namespace {

namespace fs = std::filesystem;

class StateFiles : public testing::Test {
 protected:
  StateFiles() {
    fs::copy(std::string(TEAMSTER_SOURCE_DIR) + "/examples/plain", project_, fs::copy_options::recursive);
    fs::rename(project_ + "/rehearsal", scripts_);
    Process git = start({"/bin/sh", "-c",
                         "git init -q . && git config user.name Ada && git config user.email ada@example.org && "
                         "git add -A && git commit -q -m begin"},
                        home_);
    EXPECT_EQ(git.wait(), 0) << git.err();
  }
  Process start(const Words& command, const Home& home) const {
    Start start;
    start.command = {"/usr/bin/env", "-C", project_};
    start.command.insert(start.command.end(), command.begin(), command.end());
    start.environment = {"TEAMSTER_HOME=" + home.path(), "HOME=" + home.scratch(), "PATH=/usr/bin:/bin"};
    return Process(start);
  }
  Outcome run(Words words, const Home& home) const {
    words.insert(words.begin(), TEAMSTER_BINARY);
    words.emplace_back("--json");
    Process process = start(words, home);
    return outcome_of(process);
  }

  Home home_;
  const std::string project_ = home_.scratch() + "/project";
  const std::string scripts_ = home_.scratch() + "/scripts";
  const std::string manifest_ = "progress/spec-01/manifest.json";
};

TEST_F(StateFiles, AManifestOfSomebodyElseGoesOn) {
  const Words driver = {"--driver", "script", "--scripts", scripts_};
  Words begin = {"run", "implement-spec", "01", "--fault", "kill engine@step.done:e2e-tests.1:after"};
  begin.insert(begin.end(), driver.begin(), driver.end());
  ASSERT_EQ(run(begin, home_).exit, 128 + SIGKILL);
  const Json left = Json::parse(read_file(project_ + "/" + manifest_));
  ASSERT_EQ(left["status"], "in_progress");

  const Home other;  // which knows nothing of that run
  Words words = {"resume", "--state", manifest_};
  words.insert(words.end(), driver.begin(), driver.end());
  const Outcome resumed = run(words, other);
  ASSERT_EQ(resumed.exit, 0) << resumed;
  EXPECT_EQ(resumed.json["status"], "done");
  const Json manifest = Json::parse(read_file(project_ + "/" + manifest_));
  EXPECT_EQ(manifest["status"], "done");
  EXPECT_EQ(manifest["next_sequence"], 11) << "what was done was not done again";
  const Outcome again = run(words, other);
  EXPECT_EQ(again.exit, 3) << again;
  EXPECT_NE(again.what().find("already complete"), std::string::npos) << again;
}

TEST_F(StateFiles, ADirectoryOfProgressIsImportedAndResumed) {
  const Words driver = {"--driver", "script", "--scripts", scripts_};
  Words begin = {"run", "implement-spec", "01", "--fault", "kill engine@step.done:e2e-tests.1:after"};
  begin.insert(begin.end(), driver.begin(), driver.end());
  ASSERT_EQ(run(begin, home_).exit, 128 + SIGKILL);
  Json left = Json::parse(read_file(project_ + "/" + manifest_));
  left["theirs"] = {1, 2};
  write_file(project_ + "/" + manifest_, left.dump());
  const Home other;
  Words words = {"import", "progress/spec-01"};
  words.insert(words.end(), driver.begin(), driver.end());
  const Outcome imported = run(words, other);
  ASSERT_EQ(imported.exit, 0) << imported;
  EXPECT_EQ(Json::parse(read_file(project_ + "/" + manifest_)), left) << "nobody works yet";
  const Outcome resumed = run({"resume", imported.json["run"]}, other);
  ASSERT_EQ(resumed.exit, 0) << resumed;
  const Json manifest = Json::parse(read_file(project_ + "/" + manifest_));
  EXPECT_EQ(manifest["status"], "done");
  EXPECT_EQ(manifest["next_sequence"], 11) << "what was done was not done again";
  EXPECT_EQ(manifest["theirs"], left["theirs"]) << "what we do not know is kept";
}

TEST_F(StateFiles, WhatCannotBeTakenUpIsSaid) {
  const Outcome missing = run({"resume", "--state", manifest_}, home_);
  EXPECT_EQ(missing.exit, 1) << missing;
  EXPECT_EQ(missing.code(), "not_found");
  for (const char* name : {"README.md", "specs"}) {
    const Outcome unknown = run({"resume", "--state", name}, home_);
    EXPECT_EQ(unknown.exit, 2) << name << unknown;
  }
  EXPECT_EQ(run({"resume", "implement-spec-20261116-1a2b", "--state", "README.md"}, home_).exit, 2);
  EXPECT_EQ(run({"resume", "--driver", "script"}, home_).exit, 2);
  fs::create_directories(project_ + "/progress/spec-01");
  write_file(project_ + "/" + manifest_, "{ torn");
  EXPECT_NE(run({"resume", "--state", manifest_}, home_).exit, 0);
}

}  // namespace
}  // namespace teamster::e2e
