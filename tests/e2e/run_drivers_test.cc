// How the agents of a run are run: by any program, and what is missing is told before anything begins.
#include <csignal>
#include <filesystem>

#include "e2e/fixture.h"

namespace teamster::e2e {
namespace {

constexpr const char* kDriversWorkflow = R"(
name: asked
about: Asks one member after the other.
team: { name: asked, scope: run }
roles:
  first: { about: begins }
  second: { about: ends }
phases:
  - { id: begin, role: first, template: say.md, returns: done.json }
  - { id: finish, role: second, template: say.md, returns: done.json }
)";

class RunDrivers : public testing::Test {
 protected:
  RunDrivers() {
    const std::string workflow = project_ + "/.teamster/workflows/asked";
    std::filesystem::create_directories(workflow);
    std::filesystem::create_directories(scripts_);
    write_file(workflow + "/workflow.yaml", kDriversWorkflow);
    write_file(workflow + "/say.md", "Say when you are done.\n");
    write_file(workflow + "/done.json",
               R"({"type":"object","required":["done"],"properties":{"done":{"type":"string"}}})");
    write_file(project_ + "/answer.sh", R"(cat > heard.txt; echo "{\"done\": \"$1\"}")");
  }
  Outcome run(const Words& words, const std::string& directory) const {
    Start start;
    start.command = {"/usr/bin/env", "-C", directory, TEAMSTER_BINARY};
    start.command.insert(start.command.end(), words.begin(), words.end());
    start.environment = {"TEAMSTER_HOME=" + home_.path(), "HOME=" + home_.scratch(), "PATH=/usr/bin:/bin"};
    Process process(start);
    return outcome_of(process);
  }
  Outcome run_asked(const Words& more) const {
    Words words = {"run", "asked", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words, project_);
  }
  void expect_nothing_began() const {
    EXPECT_EQ(home_.run({"status", "--all"}).exit, 1) << "no run";
    EXPECT_FALSE(std::filesystem::exists(home_.path() + "/runs"));
    EXPECT_TRUE(home_.ok({"team", "list"})["teams"].empty());
  }

  Home home_;
  const std::string project_ = home_.scratch() + "/project";
  const std::string scripts_ = home_.scratch() + "/scripts";
};

TEST_F(RunDrivers, AnyProgramIsAMember) {
  const Outcome ran = run_asked({"--driver", "command:sh answer.sh 'it is = done'"});
  ASSERT_EQ(ran.exit, 0) << ran;
  EXPECT_NE(read_file(project_ + "/heard.txt").find("Say when you are done."), std::string::npos);
  const Json started = home_.ok({"log", ran.json["run"].get<std::string>()})["events"][0];
  EXPECT_EQ(started["body"]["body"]["driver"], "command:sh answer.sh 'it is = done'") << started;
}

TEST_F(RunDrivers, ARunGoesOnWithItsProgramsFromElsewhere) {
  std::filesystem::create_directories(project_ + "/bin");
  write_file(project_ + "/bin/answer", "#!/bin/sh\ncat > /dev/null; echo '{\"done\": \"yes\"}'\n");
  std::filesystem::permissions(project_ + "/bin/answer", std::filesystem::perms::owner_all);
  const Outcome killed = run_asked({"--driver", "command:sh answer.sh x", "--driver", "second=command:bin/answer",
                                    "--fault", "kill engine@step.done:begin.1:after"});
  ASSERT_EQ(killed.exit, 128 + SIGKILL) << killed;
  const Outcome resumed = run({"resume", "--json"}, home_.scratch());
  EXPECT_EQ(resumed.exit, 0) << resumed;
  EXPECT_EQ(resumed.json["status"], "done") << resumed;
}

TEST_F(RunDrivers, WhatIsMissingIsToldBeforeAnythingBegins) {
  write_file(scripts_ + "/first.json", R"({"turns": []})");
  const Outcome script = run_asked({"--driver", "script", "--scripts", scripts_});
  EXPECT_EQ(script.exit, 1) << script;
  EXPECT_EQ(script.what(), scripts_ + " has no script for second") << script;
  EXPECT_NE(script.next().find("--scripts"), std::string::npos) << script;
  const Outcome scripts = run_asked({"--driver", "script"});
  EXPECT_NE(scripts.next().find("--scripts DIRECTORY"), std::string::npos) << scripts;
  const Outcome claude = run_asked({"--detach"});
  EXPECT_EQ(claude.exit, 1) << claude;
  EXPECT_NE(claude.what().find("role first: Claude Code is not installed"), std::string::npos) << claude;
  const Outcome program = run_asked({"--driver", "command:no-such-program"});
  EXPECT_NE(program.what().find("no-such-program"), std::string::npos) << program;
  EXPECT_EQ(run_asked({"--driver", "command"}).exit, 2) << "it needs a program";
  EXPECT_EQ(run_asked({"--driver", "claude:x"}).exit, 2);
  expect_nothing_began();
}

// Those of the workflows that it runs, too.
TEST_F(RunDrivers, OfAWorkflowThatRunsAnotherAsWell) {
  const std::string outer = project_ + "/.teamster/workflows/outer";
  std::filesystem::create_directories(outer);
  write_file(outer + "/workflow.yaml", R"(
name: outer
about: Runs another.
phases:
  - { id: inner, kind: workflow, workflow: asked }
)");
  const Outcome ran = run({"run", "outer", "--driver", "script", "--scripts", scripts_, "--json"}, project_);
  EXPECT_EQ(ran.what(), scripts_ + " has no script for first, second") << ran;
  expect_nothing_began();
}

}  // namespace
}  // namespace teamster::e2e
