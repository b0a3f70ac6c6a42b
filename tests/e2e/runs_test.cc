// Runs in a real project, driven by real processes: in the background, killed and taken up, refused
// while another is under way, with sub-runs, interrupted by signals; and `init`, which prepares one.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "e2e/fixture.h"

namespace teamster::e2e {
namespace {

constexpr const char* kAsking = R"(
name: choice
about: Something to approve.
args:
  what: { about: what it is about }
key: '{{args/what}}'
phases:
  - id: approve
    kind: gate
    question: { text: 'Shall {{args/what}} go on?', to: kim, remind: 200ms }
    on: [ { when: { approved: false }, block: 'no' } ]
)";

constexpr const char* kInner = R"(
name: inner
about: Checks one thing.
args:
  file: { about: what must be there }
key: '{{args/file}}'
phases:
  - id: look
    kind: check
    command: 'test -f "$FILE"'
    inputs: { FILE: args/file }
    on:
      - { when: { passed: false }, block: 'it is not there' }
)";

constexpr const char* kOuter = R"(
name: outer
about: Checks two things.
phases:
  - id: each
    kind: workflow
    workflow: inner
    with: { file: '{{item}}' }
    items: [one.txt, two.txt]
)";

constexpr const char* kPooled = R"(
name: pooled
about: Three tasks for one member.
roles:
  worker: { about: works }
team: { name: pooled, scope: run }
phases:
  - id: work
    kind: fanout
    role: worker
    template: work.md
    returns: done.json
    items: { list: [alpha, beta, gamma], members: 1 }
)";

class Runs : public testing::Test {
 protected:
  Runs() {
    std::filesystem::create_directories(project_ + "/.teamster/workflows");
    add_workflow("choice", kAsking);
  }

  void add_workflow(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(project_ + "/.teamster/workflows/" + name);
    write_file(project_ + "/.teamster/workflows/" + name + "/workflow.yaml", text);
  }
  // The example of the rehearsals as a repository, with its scripts beside it.
  void use_plain_example() const {
    namespace fs = std::filesystem;
    fs::copy(std::string(TEAMSTER_SOURCE_DIR) + "/examples/plain", project_,
             fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    fs::rename(project_ + "/rehearsal", scripts_);
    fs::remove_all(project_ + "/.teamster/workflows");
    shell(
        "git init -q . && git config user.name Ada && git config user.email ada@example.org && git add -A && "
        "git commit -q -m begin");
  }
  Process start(const Words& command) const {
    Start start;
    start.command = {"/usr/bin/env", "-C", project_};
    start.command.insert(start.command.end(), command.begin(), command.end());
    start.environment = {"TEAMSTER_HOME=" + home_.path(), "HOME=" + home_.scratch(), "PATH=/usr/bin:/bin",
                         "GIT_CONFIG_NOSYSTEM=1"};
    return Process(start);
  }
  Process teamster(Words words) const {
    words.insert(words.begin(), TEAMSTER_BINARY);
    return start(words);
  }
  Outcome run(const Words& words) const {
    Process process = teamster(words);
    return outcome_of(process);
  }
  void shell(const std::string& command) const {
    Process process = start({"/bin/sh", "-c", command});
    ASSERT_EQ(process.wait(), 0) << command << process.err();
  }
  Outcome run_plain(const Words& more = {}) const {
    Words words = {"run", "implement-spec", "01", "--driver", "script", "--scripts", scripts_, "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
  // The only one that waits, once it waits.
  Json question() const {
    Json found;
    EXPECT_TRUE(eventually([&] {
      const Outcome inbox = home_.run({"inbox", "--json"});
      if (inbox.exit != 0) return false;
      found = inbox.json["questions"][0];
      return true;
    }));
    return found;
  }
  Json status_of(const std::string& run) const { return home_.run({"status", run, "--json"}).json; }
  // Kinds of the run's records, by how often.
  std::map<std::string, int> kinds(const std::string& run) const {
    std::map<std::string, int> counts;
    const Json events = home_.ok({"log", run})["events"];
    for (const auto& record : events) ++counts[record["kind"].get<std::string>()];
    return counts;
  }
  bool exists(const std::string& name) const { return std::filesystem::exists(project_ + "/" + name); }

  Home home_;
  const std::string project_ = home_.scratch() + "/project";
  const std::string scripts_ = home_.scratch() + "/scripts";
};

TEST_F(Runs, ADetachedRunIsThereWhenTheCommandReturns) {
  const Outcome detached = run({"run", "choice", "alpha", "--detach", "--json"});
  ASSERT_EQ(detached.exit, 0) << detached;
  const std::string name = detached.json["run"];
  EXPECT_EQ(status_of(name)["run"], name);
  EXPECT_EQ(question()["run"], name);
  ASSERT_TRUE(eventually([&] { return kinds(name)["step.due"] == 1; })) << "the reminder";

  const Outcome second = run({"run", "choice", "alpha", "--json"});
  EXPECT_EQ(second.exit, 3) << second;
  EXPECT_NE(second.what().find(name), std::string::npos) << second;
  const Outcome third = run({"run", "choice", "alpha", "--detach", "--json"});
  EXPECT_EQ(third.exit, 3) << "no other in the background either: " << third;

  EXPECT_EQ(home_.ok({"approve", "approve"})["recorded"], true);
  ASSERT_TRUE(has_ended(detached.json["pid"].get<pid_t>()));
  EXPECT_EQ(status_of(name)["status"], "done");
  EXPECT_NE(read_file(detached.json["log"]).find("approve.1 done"), std::string::npos);
}

TEST_F(Runs, TheSameInAnotherProjectIsAnotherRun) {
  const Outcome first = run({"run", "choice", "alpha", "--detach", "--json"});
  ASSERT_EQ(first.exit, 0) << first;
  const std::string other = home_.scratch() + "/other";
  std::filesystem::copy(project_, other, std::filesystem::copy_options::recursive);
  Process process =
      start({"/usr/bin/env", "-C", other, TEAMSTER_BINARY, "run", "choice", "alpha", "--detach", "--json"});
  const Outcome second = outcome_of(process);
  ASSERT_EQ(second.exit, 0) << second;
  EXPECT_NE(second.json["run"], first.json["run"]);
  EXPECT_NE(status_of(second.json["run"])["key"], status_of(first.json["run"])["key"]);
  for (const auto& each : {first, second}) home_.ok({"cancel", each.json["run"].get<std::string>()});
  for (const auto& each : {first, second}) ASSERT_TRUE(has_ended(each.json["pid"].get<pid_t>()));
}

TEST_F(Runs, ADetachedRunThatDoesNotBeginSaysWhy) {
  const Outcome dead = run({"run", "choice", "alpha", "--detach", "--fault", "kill engine@run.started:before"});
  EXPECT_EQ(dead.exit, 1) << dead;
  EXPECT_NE(dead.err.find("has ended"), std::string::npos) << dead;
  EXPECT_EQ(run({"run", "choice", "--detach", "--json"}).code(), "invalid") << "told at once";
  EXPECT_EQ(run({"run", "choice", "--all", "--detach", "--json"}).exit, 2);
}

TEST_F(Runs, AnInterruptedOneIsTakenUpInTheBackground) {
  Process engine = teamster({"run", "choice", "alpha"});
  const std::string name = question()["run"];
  engine.kill(SIGKILL);
  ASSERT_TRUE(engine.wait());
  const Outcome detached = run({"run", "choice", "alpha", "--detach", "--json"});
  ASSERT_EQ(detached.exit, 0) << detached;
  EXPECT_EQ(detached.json["run"], name);
  EXPECT_EQ(home_.ok({"approve", "approve"})["recorded"], true);
  ASSERT_TRUE(has_ended(detached.json["pid"].get<pid_t>()));
  EXPECT_EQ(status_of(name)["status"], "done");
}

TEST_F(Runs, TheSecondInterruptCancelsAndAClosedTerminalDoesNot) {
  Process engine = teamster({"run", "choice", "alpha"});
  const std::string name = question()["run"];
  engine.kill(SIGINT);
  ASSERT_TRUE(eventually([&] { return engine.err().find("again cancels") != std::string::npos; })) << engine.err();
  engine.kill(SIGHUP);
  EXPECT_EQ(engine.wait(), 1) << engine.err();
  EXPECT_NE(engine.err().find("teamster resume " + name), std::string::npos) << engine.err();
  EXPECT_EQ(status_of(name)["status"], "interrupted");

  Process again = teamster({"resume", name});
  ASSERT_TRUE(eventually([&] { return status_of(name)["status"] == "waiting"; }));
  again.kill(SIGINT);
  ASSERT_TRUE(eventually([&] { return again.err().find("again cancels") != std::string::npos; })) << again.err();
  again.kill(SIGINT);
  EXPECT_EQ(again.wait(), 1) << again.err();
  EXPECT_EQ(status_of(name)["status"], "cancelled");
}

TEST_F(Runs, CtrlCOnATerminalAsks) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  ASSERT_GE(terminal, 0);
  ASSERT_EQ(::grantpt(terminal), 0);
  ASSERT_EQ(::unlockpt(terminal), 0);
  const std::string name_of_terminal = ::ptsname(terminal);
  const auto type = [&](const std::string& line) {
    ASSERT_EQ(::write(terminal, line.data(), line.size()), static_cast<ssize_t>(line.size()));
  };
  Process engine([&] {
    const int input = ::open(name_of_terminal.c_str(), O_RDWR | O_NOCTTY);
    if (input < 0 || ::dup2(input, STDIN_FILENO) < 0 || ::chdir(project_.c_str()) != 0) return 1;
    ::setenv("TEAMSTER_HOME", home_.path().c_str(), 1);
    ::execl(TEAMSTER_BINARY, TEAMSTER_BINARY, "run", "choice", "alpha", nullptr);
    return 1;
  });
  const std::string name = question()["run"];
  const auto says = [&](const std::string& text, int times) {
    return eventually([&] {
      int found = 0;
      for (std::size_t at = 0; (at = engine.err().find(text, at)) != std::string::npos; ++at) ++found;
      return found == times;
    });
  };
  engine.kill(SIGINT);
  ASSERT_TRUE(says("leave it to the background", 1)) << engine.err();
  type("\n");
  ASSERT_TRUE(says("The run goes on.\n", 1)) << engine.err();
  engine.kill(SIGINT);
  ASSERT_TRUE(says("leave it to the background", 2)) << engine.err();
  type("d\n");
  EXPECT_EQ(engine.wait(), 0) << engine.err();
  EXPECT_NE(engine.out().find("goes on in the background"), std::string::npos) << engine.out();
  ::close(terminal);

  EXPECT_EQ(status_of(name)["status"], "waiting") << "another process drives it";
  EXPECT_EQ(home_.ok({"approve", "approve"})["recorded"], true);
  EXPECT_TRUE(eventually([&] { return status_of(name)["status"] == "done"; }));
}

TEST_F(Runs, ARunMayStartOthers) {
  add_workflow("inner", kInner);
  add_workflow("outer", kOuter);
  write_file(project_ + "/one.txt", "");
  const Outcome parked = run({"run", "outer", "--no-wait", "--json"});
  EXPECT_EQ(parked.exit, 4) << parked;
  const Json asked = home_.ok({"inbox"})["questions"][0];
  EXPECT_NE(asked["text"].get<std::string>().find("it is not there"), std::string::npos) << asked;

  write_file(project_ + "/two.txt", "");
  home_.ok({"answer", asked["id"], "again"});
  const Outcome done = run({"resume", "--json"});
  EXPECT_EQ(done.exit, 0) << done;
  const Json replay = home_.ok({"replay", done.json["run"].get<std::string>()});
  const Json answers = replay["state"]["answers"]["each"]["value"];
  ASSERT_EQ(answers.size(), 2U) << replay;
  EXPECT_EQ(answers[0]["status"], "done");
  EXPECT_EQ(status_of(answers[1]["run"])["status"], "done");
}

TEST_F(Runs, ASubRunThatEndedBeforeTheCrashCounts) {
  add_workflow("inner", kInner);
  add_workflow("outer", kOuter);
  write_file(project_ + "/one.txt", "");
  write_file(project_ + "/two.txt", "");
  EXPECT_EQ(run({"run", "outer", "--fault", "kill engine@step.done:each/1.1:before"}).exit, 128 + SIGKILL);
  EXPECT_EQ(run({"resume", "--json"}).exit, 0);
  std::map<std::string, int> runs;
  const Json listed = home_.ok({"status", "--all"})["runs"];
  for (const auto& each : listed) ++runs[each["workflow"].get<std::string>()];
  EXPECT_EQ(runs["inner"], 2) << "one for each item, and none twice";
}

TEST_F(Runs, AKilledEngineIsTakenUpByResumeAndByTheSameCommand) {
  use_plain_example();
  EXPECT_EQ(run_plain({"--fault", "kill engine@step.done:implement.1:after"}).exit, 128 + SIGKILL);
  const std::string name = home_.ok({"status"})["runs"][0]["run"];
  EXPECT_EQ(run({"resume", name, "--no-wait", "--json"}).exit, 0);
  EXPECT_EQ(status_of(name)["status"], "done");

  const Outcome complete = run_plain();
  EXPECT_EQ(complete.exit, 3) << complete;
  EXPECT_NE(complete.what().find("already complete"), std::string::npos) << complete;
}

TEST_F(Runs, TheSameCommandGoesOnAndABlockedLedgerIsExplained) {
  use_plain_example();
  EXPECT_EQ(run_plain({"--fault", "kill engine@step.done:verify.1:before"}).exit, 128 + SIGKILL);
  write_file(project_ + "/progress/spec-01/.tmp-left", "half a man");
  const std::string name = home_.ok({"status"})["runs"][0]["run"];
  const Outcome again = run_plain();
  EXPECT_EQ(again.exit, 0) << again;
  EXPECT_EQ(again.json["run"], name);
  EXPECT_EQ(kinds(name)["run.leased"], 1);
  EXPECT_FALSE(exists("progress/spec-01/.tmp-left")) << "what a killed engine left of a write";

  const std::string manifest = project_ + "/progress/spec-01/manifest.json";
  Json blocked = Json::parse(read_file(manifest));
  blocked["status"] = "blocked";
  write_file(manifest, blocked.dump());
  const Outcome refused = run_plain();
  EXPECT_EQ(refused.exit, 1) << refused;
  EXPECT_NE(refused.what().find("is blocked"), std::string::npos) << refused;
  EXPECT_NE(refused.next().find("in_progress"), std::string::npos) << refused;
}

TEST_F(Runs, AMemberGetsOneItemAfterAnotherAndClaimsNoneItself) {
  add_workflow("pooled", kPooled);
  write_file(project_ + "/.teamster/workflows/pooled/work.md", "Do number {{ITEM_NUMBER}}, {{ITEM}}.");
  write_file(project_ + "/.teamster/workflows/pooled/done.json", R"({ "type": "object" })");
  std::filesystem::create_directories(scripts_);
  write_file(scripts_ + "/worker.json", R"({ "turns": [], "otherwise": [
      { "tool": { "name": "claim_task", "arguments": { "id": 3 }, "save": "claim" } },
      { "append": { "path": "done.txt", "text": "{{claim}}\n" } },
      { "report": { "summary": "done {{TURN}}" } }, { "say": "done" } ] })");
  const Outcome done = run({"run", "pooled", "--driver", "script", "--scripts", scripts_, "--json"});
  ASSERT_EQ(done.exit, 0) << done;
  const Json replay = home_.ok({"replay", done.json["run"].get<std::string>()});
  const Json answers = replay["state"]["answers"]["work"]["value"];
  ASSERT_EQ(answers.size(), 3U) << replay;
  for (int at = 0; at < 3; ++at) EXPECT_EQ(answers[at]["summary"], "done " + std::to_string(at + 1));
  const std::string claims = read_file(project_ + "/done.txt");
  EXPECT_EQ(claims, "{{claim}}\n{{claim}}\n{{claim}}\n") << "nothing was claimed";
}

TEST_F(Runs, ATeamThatCannotBeMadeIsGone) {
  use_plain_example();
  // It is there, and cannot be started.
  const std::string broken = home_.scratch() + "/claude";
  write_file(broken, "no program");
  std::filesystem::permissions(broken, std::filesystem::perms::owner_all);
  Process process = start({"/usr/bin/env", "TEAMSTER_CLAUDE=" + broken, TEAMSTER_BINARY, "run", "implement-spec", "01",
                           "--driver", "claude", "--no-wait", "--json"});
  const Outcome parked = outcome_of(process);
  ASSERT_EQ(parked.exit, 4) << parked;
  const Json asked = home_.ok({"inbox"})["questions"][0];
  EXPECT_EQ(asked["text"].get<std::string>().rfind("team failed: ", 0), 0U) << asked;
  home_.ok({"answer", asked["id"], "abort"});
  const Outcome blocked = run({"resume", "--json"});
  ASSERT_EQ(blocked.exit, 1) << blocked;
  EXPECT_EQ(blocked.json["reason"].get<std::string>().rfind("team failed: ", 0), 0U) << blocked;
  EXPECT_EQ(home_.ok({"team", "list"})["teams"], Json::array());
}

TEST_F(Runs, ABudgetIsRecordedAndAskedFor) {
  use_plain_example();
  const Outcome spent = run_plain({"--budget", "1turns", "--no-wait"});
  EXPECT_EQ(spent.exit, 4) << spent;
  const Json question = home_.ok({"inbox"})["questions"][0];
  EXPECT_NE(question.dump().find("1 of 1 turns"), std::string::npos) << question;
  const std::string name = question["run"];
  EXPECT_EQ(run({"resume", name, "--no-wait", "--json"}).exit, 4)
      << "the budget is that of the run, not of the process";
  EXPECT_EQ(run_plain({"--budget", "much"}).exit, 2);
}

TEST_F(Runs, InitDescribesAProjectOnce) {
  use_plain_example();
  EXPECT_EQ(run({"init", "--json"}).exit, 3);
  EXPECT_EQ(run({"init", "--json"}).what(), "specs/PREAMBLE.md is there already");
  std::filesystem::remove_all(project_ + "/specs");
  std::filesystem::remove_all(project_ + "/.teamster");
  const Outcome written = run({"init", "--json"});
  EXPECT_EQ(written.exit, 0) << written;
  ASSERT_TRUE(written.json.contains("written")) << written;
  EXPECT_EQ(written.json["written"], Json::parse(R"(["specs/PREAMBLE.md",".teamster/config.yaml"])"));
  EXPECT_EQ(written.json["test"], "sh test.sh");
  EXPECT_EQ(written.json["languages"], Json::parse(R"(["Shell"])"));
  EXPECT_NE(read_file(project_ + "/specs/PREAMBLE.md").find("| `src/` | the code |"), std::string::npos);
  EXPECT_NE(read_file(project_ + "/.teamster/config.yaml").find("test: 'sh test.sh'"), std::string::npos);

  std::filesystem::remove_all(project_ + "/specs");
  write_file(project_ + "/.teamster/config.yaml", "checks: { test: 'true' }\n");
  EXPECT_EQ(run({"init", "--json"}).json["written"], Json::parse(R"(["specs/PREAMBLE.md"])"));
  EXPECT_EQ(read_file(project_ + "/.teamster/config.yaml"), "checks: { test: 'true' }\n") << "left as it was";
  EXPECT_TRUE(exists("src/plain.sh"));
}

Json check_of(const Json& doctor, const std::string& name) {
  for (const auto& check : doctor["checks"])
    if (check["name"] == name) return check;
  return {};
}

TEST_F(Runs, TheDoctorKnowsThoseThatNobodyDrives) {
  EXPECT_EQ(check_of(home_.ok({"doctor"}), "runs")["status"], "ok");
  ASSERT_EQ(run({"run", "choice", "alpha", "--fault", "kill engine@run.started:after"}).exit, 128 + SIGKILL);
  const std::string name = home_.ok({"status"})["runs"][0]["run"];
  const Json warned = check_of(home_.ok({"doctor"}), "runs");
  EXPECT_EQ(warned["status"], "warn") << warned;
  EXPECT_EQ(warned["next"], "teamster resume " + name) << warned;
}

TEST_F(Runs, ATornBundleIsFoundAndLeadsOut) {
  ASSERT_EQ(run({"run", "choice", "alpha", "--fault", "kill engine@run.started:after"}).exit, 128 + SIGKILL);
  const std::string name = home_.ok({"status"})["runs"][0]["run"];
  const std::string bundle = home_.path() + "/runs/" + name + "/bundle.json";
  const std::string whole = read_file(bundle);
  for (const bool is_gone : {false, true}) {
    if (is_gone)
      std::filesystem::remove(bundle);
    else
      write_file(bundle, whole.substr(0, whole.size() / 2));
    const Json doctor = home_.fails(1, {"doctor"}).json;
    EXPECT_LT(doctor["score"], 100);
    const Json pinned = check_of(doctor, "workflows");
    EXPECT_EQ(pinned["status"], "fail") << doctor;
    EXPECT_NE(pinned["detail"].get<std::string>().find(name), std::string::npos) << pinned;
    EXPECT_EQ(pinned["next"], "teamster cancel " + name) << pinned;
    const Outcome resumed = run({"resume", name, "--json"});
    EXPECT_EQ(resumed.exit, 1) << resumed;
    EXPECT_NE(resumed.next().find("teamster cancel " + name), std::string::npos) << resumed;
  }
  EXPECT_EQ(home_.ok({"cancel", name})["status"], "cancelled") << "which helps";
  EXPECT_EQ(run({"run", "choice", "alpha", "--no-wait"}).exit, 4) << "and another one can begin";
}

}  // namespace
}  // namespace teamster::e2e
