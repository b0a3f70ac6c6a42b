// Commits of a run, where a git was killed in the middle of its work or another one is at work: locks in the
// repository.
#include <filesystem>

#include "e2e/fixture.h"

namespace teamster::e2e {
namespace {

constexpr const char* kRecorded = R"(
name: recorded
about: Commits a file.
phases:
  - id: look
    kind: check
    command: 'true'
    on: [ { when: { passed: false }, block: 'it failed' } ]
  - id: record
    kind: commit
    paths: [notes.txt]
    message: 'chore: record'
    tag: step-*
)";

class GitLocks : public testing::Test {
 protected:
  GitLocks() {
    std::filesystem::create_directories(project_ + "/.teamster/workflows/recorded");
    write_file(project_ + "/.teamster/workflows/recorded/workflow.yaml", kRecorded);
    shell(
        "git init -q . && git config user.name Ada && git config user.email ada@example.org && git add -A && "
        "git commit -q -m begin");
    write_file(project_ + "/notes.txt", "a note\n");
  }
  Process start(const Words& command) const {
    Start start;
    start.command = {"/usr/bin/env", "-C", project_};
    start.command.insert(start.command.end(), command.begin(), command.end());
    start.environment = {"TEAMSTER_HOME=" + home_.path(), "HOME=" + home_.scratch(), "PATH=/usr/bin:/bin",
                         "GIT_CONFIG_NOSYSTEM=1"};
    return Process(start);
  }
  std::string shell(const std::string& command) const {
    Process process = start({"/bin/sh", "-c", command});
    EXPECT_EQ(process.wait(), 0) << command << process.err();
    return process.out();
  }
  // The engine dies when the commit is decided and nothing of it is done.
  void begin_and_kill() const {
    Process engine = start({TEAMSTER_BINARY, "run", "recorded", "--fault", "kill engine@step.done:look.1:after"});
    ASSERT_EQ(engine.wait(), 128 + SIGKILL) << engine.err();
  }
  Outcome resume() const {
    Process process = start({TEAMSTER_BINARY, "resume", "--no-wait", "--json"});
    return outcome_of(process);
  }
  void expect_parked(const Outcome& outcome) const {
    EXPECT_EQ(outcome.exit, 4) << outcome;
    const Json asked = home_.ok({"inbox"})["questions"][0];
    const std::string reason = asked["text"];
    EXPECT_NE(reason.find(lock_), std::string::npos) << outcome;
    EXPECT_NE(reason.find("If no other git is at work there, remove the lock"), std::string::npos) << outcome;
    EXPECT_TRUE(std::filesystem::exists(lock_));
  }

  Home home_;
  const std::string project_ = std::filesystem::canonical(home_.scratch()).string() + "/project";
  const std::string lock_ = project_ + "/.git/index.lock";
};

TEST_F(GitLocks, WhatAKilledGitOfOursHasLeftIsRemoved) {
  begin_and_kill();
  write_file(lock_, "");
  write_file(project_ + "/.git/refs/tags/step-1.lock", "");
  const Outcome resumed = resume();
  ASSERT_EQ(resumed.exit, 0) << resumed;
  EXPECT_FALSE(std::filesystem::exists(lock_));
  EXPECT_EQ(shell("git log -1 --format=%s && git tag && git status --porcelain"), "chore: record\nstep-1\n");
}

TEST_F(GitLocks, ALockThatALivingGitMayOwnStays) {
  begin_and_kill();
  write_file(lock_, "");
  Process git = start({"/usr/bin/git", "-c", "alias.work=!sleep 30", "work"});
  expect_parked(resume());
  git.kill(SIGKILL);
}

TEST_F(GitLocks, ALockFromBeforeTheCommitStays) {
  begin_and_kill();
  write_file(lock_, "");
  std::filesystem::last_write_time(lock_, std::filesystem::file_time_type::clock::now() - std::chrono::minutes(5));
  expect_parked(resume());
}

TEST_F(GitLocks, OneThatIsGoneInAMomentIsWaitedFor) {
  write_file(lock_, "");
  Process engine = start({TEAMSTER_BINARY, "run", "recorded"});
  ASSERT_TRUE(eventually([&] {
    const Outcome status = home_.run({"status", "--json"});
    return status.exit == 0 && status.json["runs"][0]["phase"] == "record";
  })) << engine.err();
  std::filesystem::remove(lock_);
  EXPECT_EQ(engine.wait(), 0) << engine.err();
}

}  // namespace
}  // namespace teamster::e2e
