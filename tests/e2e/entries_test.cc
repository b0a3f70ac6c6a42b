// Entries of a workflow: the first word of the command line says where a run begins and after which phase it is done.
// Scripted agents are real processes.
#include "e2e/own_workflow.h"

namespace teamster::e2e {
namespace {

constexpr const char* kSpec = R"(
name: spec
about: From an idea to code.
entries:
  start: { about: everything }
  research: { about: look around, to: research }
  design: { from: design, to: design, about: draw it }
  switch: { from: switch, args: [] }
args:
  spec: { pattern: '[a-z]+', about: name of the spec, default: none }
key: '{{args/spec}}'
roles:
  scout: {}
  builder: {}
before:
  - { file: 'goal.md', only: { run/entry: [start, research] }, otherwise: 'There is no goal.md for {{run/entry}}' }
state:
  file: '.spec-{{args/spec}}.json'
  fields: { action: '{{run/entry}}', phase: '{{run/phase}}' }
phases:
  - { id: research, role: scout, template: say.md, returns: done.json }
  - { id: design, role: builder, template: design.md, inputs: { FOUND: { from: research/found, default: nothing yet } }, returns: done.json }
  - { id: good, kind: gate, question: { to: owner, text: 'Good?' }, on: [ { when: { approved: false }, block: 'no' }, { goto: done } ] }
  - { id: switch, kind: notify, text: 'Now at another, by {{run/entry}}' }
)";

class Entries : public OwnWorkflow {
 protected:
  Entries() {
    workflow("spec", kSpec,
             {{"say.md", "Look around."},
              {"design.md", "Design from {{FOUND}}."},
              {"done.json", R"({"type": "object", "properties": {"found": {"type": "string"}}})"}});
    script("scout", R"({"turns": [], "otherwise": [{"report": {"found": "a spring"}}, {"say": "done"}]})");
    script("builder", R"({"turns": [], "otherwise": [{"report": {}}, {"say": "done"}]})");
    project_file("goal.md", "A goal");
  }
  Outcome run(const Words& words) {
    Words all = run_words("spec");
    all.insert(all.end(), {"--no-wait", "--json"});
    all.insert(all.end(), words.begin(), words.end());
    Process process(start_of(all));
    return outcome_of(process);
  }
  std::vector<std::string> phases_of(const std::string& run) const {
    std::vector<std::string> phases;
    for (const auto& entered : decided(run, "enter")) phases.push_back(entered["phase"]);
    return phases;
  }
};

using Names = std::vector<std::string>;

TEST_F(Entries, EachBeginsAndEndsWhereItSays) {
  const Outcome researched = run({"research", "login"});
  ASSERT_EQ(researched.exit, 0) << researched;
  EXPECT_EQ(phases_of(last_run()), Names{"research"});
  const Outcome designed = run({"design", "login"});
  ASSERT_EQ(designed.exit, 0) << "though this run knows nothing of the research: " << designed;
  EXPECT_EQ(phases_of(last_run()), Names{"design"});
  EXPECT_NE(decided(last_run(), "turn")[0]["prompt"].get<std::string>().find("nothing yet"), std::string::npos);
  const Outcome started = run({"start", "login"});
  ASSERT_EQ(started.exit, 4) << started;
  EXPECT_EQ(phases_of(last_run()), (Names{"research", "design", "good"}));
  EXPECT_EQ(Json::parse(project_text(".spec-login.json"))["action"], "start");
}

TEST_F(Entries, AreShownAndAWrongOneSaysWhichThereAre) {
  Outcome refused = run({});
  EXPECT_EQ(refused.exit, 2) << refused;
  EXPECT_NE(refused.what().find("start (everything), research (look around)"), std::string::npos) << refused;
  refused = run({"reserch", "login"});
  EXPECT_EQ(refused.exit, 2) << refused;
  EXPECT_NE(refused.what().find("did you mean research?"), std::string::npos) << refused;
  EXPECT_NE(refused.next().find("start|research|design|switch"), std::string::npos) << refused;
  refused = run({"switch", "login"});
  EXPECT_NE(refused.what().find("one word too many for spec switch"), std::string::npos) << refused;
  ASSERT_EQ(teamster({"workflow", "show", "spec"}), 0);
  EXPECT_NE(said_.find("teamster run spec design [SPEC]\n    draw it; from design to design"), std::string::npos)
      << said_;
  ASSERT_EQ(teamster({"workflow", "list"}), 0);
  EXPECT_NE(said_.find("project   4       4        From an idea to code."), std::string::npos) << said_;
  ASSERT_EQ(teamster({"workflow", "graph", "spec"}), 0);
  EXPECT_NE(said_.find("research ends"), std::string::npos) << said_;
}

TEST_F(Entries, ArePartOfWhatTheSameThingIs) {
  ASSERT_EQ(run({"start", "login"}).exit, 4);
  const std::string name = last_run();
  const Outcome refused = run({"design", "login"});
  EXPECT_EQ(refused.exit, 3) << refused;
  EXPECT_NE(refused.what().find("with start spec='login', so it cannot begin with design spec='login'"),
            std::string::npos)
      << refused;
  EXPECT_EQ(run({"start", "login"}).json["run"], name) << "the same thing goes on";
  ASSERT_EQ(teamster({"status"}), 0);
  EXPECT_NE(said_.find("start login"), std::string::npos) << said_;
  EXPECT_EQ(teamster({"resume", name, "--from", "switch"}), 2) << "this run never comes there";
  EXPECT_NE(said_.find("research, design, good"), std::string::npos) << said_;
}

TEST_F(Entries, WithoutAgentsNeedNone) {
  Process process(start_of({"run", "spec", "switch", "--driver", "command:/nowhere/agent", "--json"}));
  const Outcome switched = outcome_of(process);
  EXPECT_EQ(switched.exit, 0) << switched;
  EXPECT_EQ(decided(last_run(), "notify")[0]["text"], "Now at another, by switch");
  EXPECT_TRUE(decided(last_run(), "make_team").empty());
}

TEST_F(Entries, PreconditionsAskForThem) {
  std::filesystem::remove(project_ + "/goal.md");
  const Outcome refused = run({"research", "login"});
  EXPECT_NE(refused.exit, 0) << refused;
  EXPECT_NE(refused.what().find("There is no goal.md for research"), std::string::npos) << refused;
  EXPECT_EQ(run({"design", "login"}).exit, 0);
}

TEST_F(Entries, AStateFileLeadsToTheEntryItSays) {
  project_file(".spec-login.json", R"({"action": "design"})");
  Process process(
      start_of({"resume", "--state", ".spec-login.json", "--driver", "script", "--scripts", scripts_, "--json"}));
  const Outcome resumed = outcome_of(process);
  ASSERT_EQ(resumed.exit, 0) << resumed;
  EXPECT_EQ(phases_of(last_run()), Names{"design"});
}

TEST_F(Entries, ASubRunIsStartedForOne) {
  workflow("above", R"(
name: above
phases:
  - { id: below, kind: workflow, workflow: spec, entry: design, with: { spec: login } }
)",
           {});
  ASSERT_EQ(teamster({"run", "above", "--driver", "script", "--scripts", scripts_}), 0) << said_;
  const Json runs = home_.ok({"status", "--all"})["runs"];
  ASSERT_EQ(runs.size(), 2U);
  for (const auto& each : runs)
    if (each["workflow"] == "spec") {
      EXPECT_EQ(each["entry"], "design");
      EXPECT_EQ(phases_of(each["run"]), Names{"design"});
    }
}

constexpr const char* kFlagged = R"(
name: flagged
flags:
  no-team: { about: work alone }
  goal: { value: TEXT, about: what it is for, pattern: '[a-z ]+' }
values:
  teams: { env: FLAGGED_TEAMS, default: 'off' }
args:
  spec: {}
key: '{{args/spec}}'
team: { name: 'crew-{{args/spec}}', only: { flags/no-team: false, values/teams: 'on' }, otherwise: '{{values/teams}}, so there is no team' }
roles:
  scout: {}
inputs: { GOAL: { from: flags/goal, default: none } }
phases:
  - { id: work, role: scout, template: goal.md, returns: done.json }
  - { id: good, kind: gate, only: { flags/no-team: true }, question: { to: owner, text: 'Good?' }, on: [ { when: { approved: false }, block: 'no' } ] }
)";

class Flags : public OwnWorkflow {
 protected:
  Flags() {
    workflow("flagged", kFlagged, {{"goal.md", "The goal is {{GOAL}}."}, {"done.json", R"({"type": "object"})"}});
    script("scout", R"({"turns": [], "otherwise": [{"report": {}}, {"say": "done"}]})");
  }
  Outcome run(const Words& words, const std::string& teams = "") {
    Words all = {"run", "flagged", "--driver", "script", "--scripts", scripts_, "--no-wait", "--json"};
    all.insert(all.end(), words.begin(), words.end());
    Start start = start_of(all);
    if (!teams.empty()) start.environment.push_back("FLAGGED_TEAMS=" + teams);
    Process process(start);
    return outcome_of(process);
  }
  std::string warning() const {
    const auto warned = decided(last_run(), "warn");
    return warned.empty() ? "" : warned[0]["text"].get<std::string>();
  }
};

TEST_F(Flags, AreInPromptsConditionsAndTheJournal) {
  const Outcome done = run({"a", "--goal", "a goal"}, "on");
  ASSERT_EQ(done.exit, 0) << done;
  EXPECT_NE(decided(last_run(), "turn")[0]["prompt"].get<std::string>().find("a goal"), std::string::npos);
  EXPECT_EQ(decided(last_run(), "make_team")[0]["team"], "crew-a");
  EXPECT_EQ(events(last_run())[0]["body"]["body"]["flags"], Json::parse(R"({"goal": "a goal", "no-team": false})"));
  ASSERT_EQ(run({"--no-team", "b"}, "on").exit, 4) << "the switch asks for the gate";
  EXPECT_EQ(decided(last_run(), "make_team")[0]["team"], last_run()) << "alone";
  EXPECT_EQ(warning(), "on, so there is no team");
}

TEST_F(Flags, AVariableOfTheEnvironmentIsAValue) {
  ASSERT_EQ(run({"a"}).exit, 0);
  EXPECT_EQ(warning(), "off, so there is no team");
  ASSERT_EQ(run({"a"}, "on").exit, 0);
  EXPECT_EQ(warning(), "");
}

TEST_F(Flags, ArePartOfWhatTheSameThingIs) {
  ASSERT_EQ(run({"a", "--no-team"}).exit, 4);
  const std::string name = last_run();
  const Outcome refused = run({"a", "--no-team", "--goal=other"});
  EXPECT_EQ(refused.exit, 3) << refused;
  EXPECT_NE(refused.what().find("with spec='a' --no-team, so it cannot begin with spec='a' --no-team --goal='other'"),
            std::string::npos)
      << refused;
  EXPECT_EQ(run({"--no-team", "a"}).json["run"], name);
}

TEST_F(Flags, AreShownAndAWrongOneIsRefused) {
  Outcome refused = run({"a", "--no-taem"});
  EXPECT_EQ(refused.exit, 2) << refused;
  EXPECT_NE(refused.what().find("did you mean --no-team?"), std::string::npos) << refused;
  EXPECT_NE(refused.next().find("SPEC [--no-team] [--goal TEXT]"), std::string::npos) << refused;
  refused = run({"a", "--goal", "NO"});
  EXPECT_NE(refused.what().find("--goal (what it is for) cannot be 'NO'"), std::string::npos) << refused;
  ASSERT_EQ(teamster({"workflow", "show", "flagged"}), 0);
  EXPECT_NE(said_.find("--no-team: work alone"), std::string::npos) << said_;
}

TEST_F(Flags, GoWithARunInTheBackground) {
  const Outcome begun = run({"a", "--detach", "--goal", "far away"});
  ASSERT_EQ(begun.exit, 0) << begun;
  const std::string name = begun.json["run"];
  EXPECT_TRUE(eventually([&] { return home_.ok({"status", name})["status"] == "done"; }));
  EXPECT_NE(decided(name, "turn")[0]["prompt"].get<std::string>().find("far away"), std::string::npos);
}

}  // namespace
}  // namespace teamster::e2e
