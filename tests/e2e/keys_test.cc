// Keys of a workflow whose effect is outside of the journal: files and tasks for other programs, what an agent is
// started with, and what a role may write.
#include "e2e/own_workflow.h"

namespace teamster::e2e {
namespace {

constexpr const char* kDone = R"({"type":"object","properties":{"files":{"type":"array"},"note":{"type":"string"}}})";

class Keys : public OwnWorkflow {
 protected:
  void shell(const std::string& command) {
    Start start = start_of({});
    start.command = {"/usr/bin/env", "-C", project_, "/bin/sh", "-c", command};
    Process process(start);
    ASSERT_EQ(process.wait(), 0) << command << process.err();
    said_ = process.out();
  }
  void repository() {
    shell(
        "git init -q . && git config user.name Ada && git config user.email ada@example.org && "
        "git add -A && git commit -q -m begin");
  }
};

TEST_F(Keys, TheStateIsMergedIntoItsFileAfterEveryStep) {
  workflow("stateful", R"(
name: stateful
args: { what: { about: anything } }
roles:
  worker: {}
loops:
  again: { max: 2, then: block }
state:
  file: '.state-{{args/what}}.json'
  fields: { phase: '{{run/phase}}', counts/again: '{{loops/again}}', files: '{{work/files}}', kind: fixed, started: '{{run/started}}' }
phases:
  - { id: work, role: worker, template: work.md, returns: done.json, on: [ { when: { note: again }, goto: work, loop: again } ] }
  - { id: look, kind: check, command: 'cp .state-x.json seen.json', on: [ { when: { passed: false }, fail: 'no' } ] }
)",
           {{"work.md", "Work.\n"}, {"done.json", kDone}});
  script("worker", R"({"turns": [
      {"steps": [{"say": "```json\n{\"note\": \"again\"}\n```"}]},
      {"steps": [{"say": "```json\n{\"files\": [\"a\", \"b\"]}\n```"}]}]})");
  project_file(".state-x.json", R"({"theirs": 7, "counts": {"other": 1}, "phase": "old"})");
  Words words = run_words("stateful");
  words.insert(words.begin() + 2, "x");
  ASSERT_EQ(teamster(words), 0) << said_;
  const Json seen = Json::parse(project_text("seen.json"));
  EXPECT_EQ(seen["theirs"], 7) << "keys of others stay";
  EXPECT_EQ(seen["counts"], Json::parse(R"({"other": 1, "again": 1})"));
  EXPECT_EQ(seen["files"], Json::parse(R"(["a", "b"])")) << "a list stays a list";
  EXPECT_EQ(seen["phase"], "look");
  EXPECT_TRUE(seen["started"].is_number_integer()) << seen;
  project_file(".state-x.json", "no JSON");
  ASSERT_EQ(teamster(words), 2);
  EXPECT_NE(said_.find(".state-x.json is no JSON object"), std::string::npos) << said_;
  EXPECT_EQ(project_text(".state-x.json"), "no JSON") << "and stays as it is";
}

TEST_F(Keys, TheStateCanBeAPermanentTaskThatEveryMemberReads) {
  workflow("permanent", R"(
name: permanent
roles:
  worker: {}
team: { name: crew, scope: run }
state:
  task: '[PERMANENT] the work'
  fields: { signals/work: '{{work/note}}', tier: STANDARD }
phases:
  - { id: work, role: worker, template: work.md, returns: done.json }
  - { id: wait, kind: ask, question: { text: 'On?', options: [go, stop] } }
)",
           {{"work.md", "Work.\n"}, {"done.json", kDone}});
  script("worker", R"({"turns": [{"steps": [{"tool": {"name": "claim_task", "arguments": {}, "save": "claim"}},
      {"say": "```json\n{\"note\": \"PASS\"}\n```"}]}]})");
  Process engine(start_of(run_words("permanent")));
  const Json asked = question();
  Json task;
  EXPECT_TRUE(eventually([&] {
    const Json listed = home_.ok({"task", "list", "--team", "crew"});
    if (listed["tasks"].size() != 1) return false;
    task = listed["tasks"][0];
    return task["metadata"].value("signals", Json()) == Json::parse(R"({"work": "PASS"})");
  }));
  EXPECT_EQ(task["subject"], "[PERMANENT] the work");
  EXPECT_EQ(task["metadata"]["tier"], "STANDARD");
  EXPECT_EQ(task["status"], "in_progress");
  EXPECT_EQ(task["owner"], "lead") << "no member could claim it";
  home_.ok({"answer", asked["id"].get<std::string>(), "go"});
  EXPECT_EQ(engine.wait(), 0) << engine.out() << engine.err();
}

TEST_F(Keys, WhatARoleMayNotWriteIsPutBackAndKeptAside) {
  workflow("guarded", R"(
name: guarded
roles:
  reviewer: { writes: [] }
  writer: { writes: [docs, '*.txt'] }
phases:
  - { id: review, role: reviewer, template: work.md, returns: done.json }
  - { id: write, role: writer, template: work.md, returns: done.json }
)",
           {{"work.md", "Work.\n"}, {"done.json", kDone}});
  script("reviewer", R"({"turns": [{"steps": [
      {"run": "echo mine > a.c; echo new > b.c; rm c.c; git add a.c; git commit -q -m sneaked"},
      {"say": "```json\n{}\n```"}]}]})");
  script("writer", R"({"turns": [{"steps": [
      {"run": "mkdir -p docs; echo d > docs/d.md; echo t > t.txt; echo stray > stray.c"},
      {"say": "```json\n{}\n```"}]}]})");
  project_file("a.c", "theirs\n");
  project_file("c.c", "stays\n");
  repository();
  project_file("a.c", "edited before\n");
  ASSERT_EQ(teamster(run_words("guarded")), 0) << said_;
  const std::string said = said_;
  EXPECT_NE(said.find("reviewer changed what its role may not write: HEAD, a.c, b.c, c.c"), std::string::npos) << said;
  EXPECT_NE(said.find("writer changed what its role may not write: stray.c"), std::string::npos) << said;
  EXPECT_EQ(project_text("a.c"), "edited before\n");
  EXPECT_EQ(project_text("c.c"), "stays\n");
  EXPECT_FALSE(std::filesystem::exists(project_ + "/b.c"));
  EXPECT_FALSE(std::filesystem::exists(project_ + "/stray.c"));
  EXPECT_EQ(project_text("docs/d.md"), "d\n");
  EXPECT_EQ(project_text("t.txt"), "t\n");
  shell("git log --format=%s");
  EXPECT_EQ(said_, "begin\n") << "what it committed is not on the branch";
  const std::string run = last_run();
  shell("git show refs/teamster/aside/" + run + "/review.1:b.c refs/teamster/aside/" + run + "/write.1:stray.c");
  EXPECT_EQ(said_, "new\nstray\n");
  shell("git for-each-ref refs/teamster/kept; ls .git | grep teamster-index || true");
  EXPECT_EQ(said_, "") << "nothing is left over";
}

TEST_F(Keys, WhatTheEngineItselfWritesIsNobodysStray) {
  workflow("ticking", R"(
name: ticking
roles:
  worker: { writes: [] }
state: { file: state.json, fields: { phase: '{{run/phase}}', left: '{{run/members}}' } }
phases:
  - { id: work, kind: fanout, role: worker, template: work.md, returns: done.json, items: { checklist: tasks.md, group: '[P]', members: 2 } }
)",
           {{"work.md", "Do number {{ITEM_NUMBER}}.\n"}, {"done.json", kDone}});
  script("worker", R"({"turns": [
      {"when": {"contains": "number 2."}, "steps": [{"sleep": "500ms"}, {"say": "```json\n{}\n```"}]}],
      "otherwise": [{"say": "```json\n{}\n```"}]})");
  project_file("tasks.md", "- [ ] [P] one\n- [ ] [P] two\n");
  repository();
  ASSERT_EQ(teamster(run_words("ticking")), 0) << said_;
  EXPECT_EQ(project_text("tasks.md"), "- [x] [P] one\n- [x] [P] two\n");
  EXPECT_EQ(said_.find("may not write"), std::string::npos) << said_;
}

TEST_F(Keys, ARolesPromptAndEffortReachItsAgent) {
  workflow(
      "effort", R"(
name: effort
args: { what: { about: anything } }
inputs: { WHAT: args/what }
roles:
  worker: { prompt: role.md, effort: high, driver: claude }
phases:
  - { id: work, role: worker, template: work.md, returns: done.json }
)",
      {{"work.md", "Work on {{WHAT}}.\n"}, {"role.md", "You build {{WHAT}} in {{RUN_ID}}.\n"}, {"done.json", kDone}});
  const std::string fake = home_.scratch() + "/claude";
  write_file(fake,
             "#!/bin/sh\n[ \"$1\" = --version ] && { echo '2.1.325 (Claude Code)'; exit 0; }\n"
             "for word in \"$@\"; do echo \"$word\"; done > '" +
                 project_ + "/words'\nexit 1\n");
  std::filesystem::permissions(fake, std::filesystem::perms::owner_all);
  Start start = start_of({"run", "effort", "boats", "--no-wait"});
  start.environment.push_back("TEAMSTER_CLAUDE=" + fake);
  Process process(start);
  process.wait();
  const std::string words = project_text("words");
  EXPECT_NE(words.find("--effort\nhigh\n"), std::string::npos) << words << process.out() << process.err();
  EXPECT_NE(words.find("boats"), std::string::npos) << words;
  EXPECT_NE(words.find(" in effort-"), std::string::npos) << words;
}

}  // namespace
}  // namespace teamster::e2e
