// Everything of a series: its task list in a team of its own, which shows how far it is, survives the process that
// works on it, and goes when all is done. Its workflow has no agents.
#include <csignal>
#include <filesystem>
#include <set>

#include "e2e/spec_project.h"

namespace teamster::e2e {
namespace {

constexpr const char* kChain = R"(
name: chain
about: One item after the other.
args:
  item: { pattern: '[0-9]{2}', about: number of the item }
key: '{{args/item}}'
ledger:
  directory: 'progress/{{args/item}}'
  manifest: manifest.json
  artifact: '{{sequence:03}}-{{id}}.json'
  fields: { item: '{{args/item}}' }
series:
  items: 'items/[0-9][0-9]-*.md'
  pattern: 'items/([0-9]{2})-.*\.md'
  argument: item
  dependencies: Dependencies
phases:
  - id: look
    kind: check
    command: 'while test -e hold-{{args/item}}; do sleep 0.02; done; test ! -e stop-{{args/item}}'
    on: [ { when: { passed: false }, block: 'it is stopped' } ]
)";

class Series : public SpecProject {
 protected:
  Series() {
    std::filesystem::create_directories(project_ + "/items");
    std::filesystem::create_directories(project_ + "/.teamster/workflows/chain");
    write_file(project_ + "/.teamster/workflows/chain/workflow.yaml", kChain);
    write_file(project_ + "/items/01-last.md", "# Last\n\n## Dependencies\n\n- 02\n- 03\n");
    write_file(project_ + "/items/02-first.md", "# First\n");
    write_file(project_ + "/items/03-middle.md", "# Middle\n\n## Dependencies\n\n- 02\n");
  }

  void put(const std::string& name) const { write_file(project_ + "/" + name, ""); }
  void take(const std::string& name) const { std::filesystem::remove(project_ + "/" + name); }
  Outcome run_all(const Words& more = {}) const {
    Words words = {"run", "chain", "--all"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words, project_);
  }
  // "items/02-first.md completed", in the order of the list.
  Names tasks() const {
    Names lines;
    const Outcome listed = home_.run({"task", "list", "--team", "chain-all", "--json"});
    if (listed.exit != 0) return lines;
    for (const auto& task : listed.json["tasks"])
      lines.push_back(task["subject"].get<std::string>() + " " + task["status"].get<std::string>());
    return lines;
  }
  void unblock(const std::string& item) const {
    const std::string path = project_ + "/progress/" + item + "/manifest.json";
    Json manifest = Json::parse(read_file(path));
    manifest["status"] = "in_progress";
    write_file(path, manifest.dump());
  }
  int runs() const { return static_cast<int>(home_.ok({"status", "--all"})["runs"].size()); }
};

TEST_F(Series, StopsAtTheFirstThatIsBlockedAndGoesOnFromThere) {
  put("stop-03");
  const Outcome stopped = run_all();
  EXPECT_EQ(stopped.exit, 1) << stopped;
  EXPECT_EQ(tasks(), (Names{"items/02-first.md completed", "items/03-middle.md failed", "items/01-last.md pending"}));
  const Json last = home_.ok({"task", "list", "--team", "chain-all"})["tasks"][2];
  EXPECT_EQ(last["blocked_by"], Json::parse("[1, 2]")) << last;

  const Outcome blocked = run_all();
  EXPECT_EQ(blocked.exit, 1) << "it says that it is blocked: " << blocked;
  EXPECT_NE(blocked.err.find("is blocked"), std::string::npos) << blocked;

  take("stop-03");
  unblock("03");
  EXPECT_EQ(run_all({"--fault", "kill engine@step.done:look.1:after"}).exit, 128 + SIGKILL);
  EXPECT_EQ(tasks(),
            (Names{"items/02-first.md completed", "items/03-middle.md in_progress", "items/01-last.md pending"}))
      << "the list is as it was when the process died";
  const Outcome done = run_all();
  EXPECT_EQ(done.exit, 0) << done;
  EXPECT_EQ(home_.ok({"team", "list"})["teams"], Json::array()) << "and goes when all is done";
  EXPECT_EQ(runs(), 4);
  EXPECT_EQ(run_all().exit, 0);
  EXPECT_EQ(runs(), 4) << "nothing is left to do";
  EXPECT_EQ(home_.ok({"team", "list"})["teams"], Json::array());
}

TEST_F(Series, WhatHasNoCriteriaIsAReference) {
  std::string chain = kChain;
  const std::string before = "  dependencies: Dependencies\n";
  chain.replace(chain.find(before), before.size(), before + "  requires: Done when\n");
  write_file(project_ + "/.teamster/workflows/chain/workflow.yaml", chain);
  write_file(project_ + "/items/00-overview.md", "# Overview\n\n## Dependencies\n\n01, 02, 03\n");
  write_file(project_ + "/items/01-last.md", "# Last\n\n## Dependencies\n\n- 00\n- 02\n\n## Done when\n");
  write_file(project_ + "/items/02-first.md", "# First\n\n## Dependencies\n\n- 00\n\n### 2. done WHEN\n");
  write_file(project_ + "/items/03-middle.md", "# Middle\n\n# Done when:\n");
  const Outcome alone = run({"run", "chain", "02", "--json"}, project_);
  EXPECT_EQ(alone.exit, 0) << "the overview is there, and that is enough: " << alone;
  const Outcome all = run_all();
  EXPECT_EQ(all.exit, 0) << all;
  EXPECT_NE(all.err.find("items/00-overview.md is left out"), std::string::npos) << all;
  EXPECT_EQ(runs(), 3);
  const Outcome itself = run({"run", "chain", "00", "--json"}, project_);
  EXPECT_EQ(itself.exit, 3) << itself;
  EXPECT_NE(itself.what().find("reference"), std::string::npos) << itself;
  EXPECT_FALSE(std::filesystem::exists(project_ + "/progress/00"));
}

TEST_F(Series, OnlyOneProcessWorksOnIt) {
  put("hold-02");
  Process first = teamster({"run", "chain", "--all"});
  ASSERT_TRUE(eventually([&] { return !tasks().empty() && tasks()[0] == "items/02-first.md in_progress"; }));
  const Outcome second = run_all({"--json"});
  EXPECT_EQ(second.exit, 3) << second;
  EXPECT_NE(second.next().find("teamster task list --team chain-all"), std::string::npos) << second;
  EXPECT_EQ(tasks()[0], "items/02-first.md in_progress") << "nothing was touched";
  take("hold-02");
  EXPECT_EQ(first.wait(), 0) << first.err();
}

TEST_F(Series, GoesOnInTheBackground) {
  put("hold-02");
  const Outcome detached = run_all({"--detach", "--json"});
  ASSERT_EQ(detached.exit, 0) << detached;
  EXPECT_EQ(detached.json["team"], "chain-all");
  EXPECT_EQ(tasks()[0], "items/02-first.md in_progress");
  take("hold-02");
  ASSERT_TRUE(has_ended(detached.json["pid"].get<pid_t>()));
  EXPECT_EQ(runs(), 3);
  EXPECT_EQ(home_.ok({"team", "list"})["teams"], Json::array());
  EXPECT_NE(read_file(detached.json["log"]).find("look.1 done"), std::string::npos);

  const Outcome nothing = run_all({"--detach"});
  EXPECT_EQ(nothing.exit, 0) << nothing;
  EXPECT_NE(nothing.out.find("items/01-last.md is done"), std::string::npos) << nothing;
}

TEST_F(Series, TwoProjectsOfOneHomeRunAtTheSameTime) {
  const std::string other = home_.scratch() + "/other";
  std::filesystem::copy(project_, other, std::filesystem::copy_options::recursive);
  put("hold-02");
  write_file(other + "/hold-02", "");
  const Outcome here = run_all({"--detach", "--json"});
  ASSERT_EQ(here.exit, 0) << here;
  const Outcome there = run({"run", "chain", "--all", "--detach", "--json"}, other);
  ASSERT_EQ(there.exit, 0) << there;
  EXPECT_EQ(there.json["team"], here.json["team"]) << "the name stays";
  EXPECT_NE(there.json["log"], here.json["log"]);
  const Json teams = home_.ok({"team", "list"})["teams"];
  ASSERT_EQ(teams.size(), 2U) << teams;
  EXPECT_NE(teams[0]["ref"], teams[1]["ref"]);
  EXPECT_EQ((std::set<std::string>{teams[0]["project"], teams[1]["project"]}),
            (std::set<std::string>{project_, other}));
  // By the directory in which it is typed; elsewhere both are named.
  take("hold-02");
  ASSERT_TRUE(has_ended(here.json["pid"].get<pid_t>()));
  EXPECT_EQ(run({"task", "list", "--team", "chain-all", "--json"}, other).json["tasks"][0]["status"], "in_progress");
  std::filesystem::remove(other + "/hold-02");
  ASSERT_TRUE(has_ended(there.json["pid"].get<pid_t>()));
  EXPECT_EQ(runs(), 6);
  EXPECT_EQ(home_.ok({"team", "list"})["teams"], Json::array());
  for (const Json all = home_.ok({"status", "--all"}); const auto& each : all["runs"])
    EXPECT_EQ(each["status"], "done") << each;
}

TEST_F(Series, ARunThatDiedAfterItsLedgerWasDoneIsFinished) {
  std::filesystem::remove_all(project_);
  use_example("plain");
  const Words words = {"run", "implement-spec", "--all", "--driver", "script", "--scripts", scripts_, "--json"};
  Words dying = words;
  dying.insert(dying.end(), {"--fault", "kill engine@step.done:record.1:before"});
  EXPECT_EQ(run(dying, project_).exit, 128 + SIGKILL);
  EXPECT_EQ(manifest()["status"], "done");
  EXPECT_EQ(home_.ok({"status"})["runs"].size(), 1U);
  const Outcome done = run(words, project_);
  EXPECT_EQ(done.exit, 0) << done;
  ASSERT_EQ(done.json["runs"].size(), 1U) << done;
  EXPECT_EQ(done.json["runs"][0]["status"], "done");
  EXPECT_EQ(home_.ok({"status", "--all"})["runs"][0]["status"], "done");
  EXPECT_EQ(home_.ok({"team", "list"})["teams"], Json::array());
  EXPECT_EQ(shell("git tag"), "done\n");
}

}  // namespace
}  // namespace teamster::e2e
