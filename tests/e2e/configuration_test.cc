// What users set about a workflow: from the project's file over their own, from the command line over both, pinned when
// the run starts; and changed in a run that is under way. Scripted agents are real processes.
#include <filesystem>

#include "e2e/own_workflow.h"

namespace teamster::e2e {
namespace {

constexpr const char* kSet = R"(
name: set
values:
  test: { config: checks.test, default: 'true' }
key: set
roles:
  scout: { model: small, effort: low }
budget: { turns: 1 }
phases:
  - { id: look, role: scout, template: say.md, returns: done.json, limit: 5m }
  - { id: build, role: scout, template: say.md, returns: done.json, limit: 5m }
  - { id: try, kind: check, command: '{{values/test}}', on: [ { when: { passed: false }, block: 'it fails' } ] }
)";

class Configuration : public OwnWorkflow {
 protected:
  Configuration() {
    workflow("set", kSet, {{"say.md", "Work."}, {"done.json", R"({"type": "object"})"}});
    script("scout", R"({"turns": [], "otherwise": [{"report": {}}, {"say": "done"}]})");
  }
  void users_file(const std::string& text) const {
    std::filesystem::create_directories(home_.scratch() + "/.config/teamster");
    write_file(home_.scratch() + "/.config/teamster/config.yaml", text);
  }
  Outcome run(Words words) {
    words.insert(words.end(), {"--no-wait", "--json"});
    Process process(start_of(words));
    return outcome_of(process);
  }
  Outcome begin(const Words& more = {}) {
    Words words = run_words("set");
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
};

TEST_F(Configuration, TheCommandLineIsOverTheProjectAndThatOverTheUser) {
  users_file("workflows: { set: { phases: { look: { limit: 1m }, build: { limit: 2m } } } }\n");
  project_file(".teamster/config.yaml", "workflows: { set: { phases: { build: { limit: 3m } } } }\n");
  const Outcome done = begin({"--budget", "9turns", "--set", "workflows.set.roles.scout.model=large"});
  ASSERT_EQ(done.exit, 0) << done;
  EXPECT_EQ(events(last_run())[0]["body"]["body"]["configuration"],
            Json::parse(R"({"phases.look.limit": "1m", "phases.build.limit": "3m", "roles.scout.model": "large"})"));
  EXPECT_EQ(decided(last_run(), "turn")[0]["limit_ms"], 60000);
  EXPECT_EQ(decided(last_run(), "turn")[1]["limit_ms"], 180000);
}

TEST_F(Configuration, WhatAWorkflowDoesNotHaveIsRefusedWithItsPlace) {
  project_file(".teamster/config.yaml", "workflows:\n  set:\n    roles:\n      scuot: { model: large }\n");
  const Outcome refused = begin();
  EXPECT_EQ(refused.exit, 2) << refused;
  EXPECT_NE(refused.what().find("config.yaml:4:23"), std::string::npos) << refused;
  EXPECT_NE(refused.what().find("did you mean roles.scout.model?"), std::string::npos) << refused;
  ASSERT_NE(teamster({"doctor"}), 70);
  EXPECT_NE(said_.find("workflows.set.roles.scuot.model = large"), std::string::npos) << said_;
  EXPECT_NE(said_.find("config.yaml:4:23"), std::string::npos) << said_;
}

TEST_F(Configuration, ABudgetThatIsRaisedSettlesItsQuestionAndSettingsHoldFromThenOn) {
  const Outcome begun = begin();
  ASSERT_EQ(begun.exit, 4) << begun;
  const std::string name = begun.json["run"];
  EXPECT_NE(question()["text"].get<std::string>().find("budget of run is spent"), std::string::npos);
  const Outcome refused = run({"resume", name, "--set", "checks.tset=false"});
  EXPECT_EQ(refused.exit, 2) << refused;
  EXPECT_NE(refused.what().find("did you mean checks.test?"), std::string::npos) << refused;
  const Outcome resumed = run({"resume", name, "--budget", "5turns", "--set", "checks.test=exit 3", "--set",
                               "workflows.set.phases.build.limit=9m"});
  EXPECT_EQ(resumed.exit, 1) << "the other command fails: " << resumed;
  EXPECT_EQ(decided(name, "turn")[1]["limit_ms"], 540000);
  EXPECT_EQ(decided(name, "check")[0]["command"], "exit 3");
  ASSERT_EQ(teamster({"log", name}), 0);
  EXPECT_NE(said_.find("phases.build.limit = 9m"), std::string::npos) << said_;
  const Outcome again = run({"resume", name, "--set", "checks.test=true"});
  EXPECT_EQ(again.exit, 0) << "a blocked run is reopened with it: " << again;
}

}  // namespace
}  // namespace teamster::e2e
