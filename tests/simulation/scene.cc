#include "simulation/scene.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "support/simulated_agents.h"
#include "support/simulated_git.h"
#include "workflow/format/bundled_workflows_for_test.h"
#include "workflow/format/load.h"

namespace teamster::simulation {
namespace {

constexpr const char* kWholeWorkflow = R"(
name: whole
about: All that an engine does besides turns one after the other.
roles:
  worker: { writes: [out] }
  reviewer: { writes: [] }
team: { name: crew, scope: run, from: work }
state: { file: state.json, fields: { phase: '{{run/phase}}', heard: '{{review/heard}}' } }
ladder: { retry: 0, mend: 0, fresh: 1 }
phases:
  - { id: plan, role: worker, template: plan.md, returns: plan.json }
  - id: work
    kind: fanout
    role: worker
    template: work.md
    returns: done.json
    pass: { good: true }
    check: { command: sh check.sh }
    items: { from: plan/items, members: 2 }
  - id: list
    kind: fanout
    role: worker
    template: list.md
    returns: done.json
    items: { checklist: tasks.md, group: '[P]', members: 2 }
  - { id: review, role: reviewer, template: review.md, returns: heard.json }
  - { id: approve, kind: gate, question: { text: 'Good?' }, on: [ { when: { approved: false }, block: 'no' } ] }
)";

constexpr const char* kGood = R"({"type":"object","required":["good"],"properties":{"good":{"type":"boolean"}}})";

workflow::Bundle whole_bundle() {
  return {{"workflow.yaml", kWholeWorkflow},
          {"plan.md", "Plan it.\n"},
          {"work.md", "Do number {{ITEM_NUMBER}}.\n"},
          {"list.md", "Do {{ITEM}} of the list.\n"},
          {"review.md", "Look at it.\n"},
          {"plan.json", R"({"type":"object","required":["items"],"properties":{"items":{"type":"array"}}})"},
          {"done.json", kGood},
          {"heard.json", R"({"type":"object","required":["heard"],"properties":{"heard":{"type":"string"}}})"}};
}

// The second item fails until a person has said another way.
constexpr const char* kWholeWorker = R"({"turns": [
  {"when": {"contains": "Plan it"}, "repeat": true,
   "steps": [{"say": "```json\n{\"items\":[{\"id\":\"a\"},{\"id\":\"b\",\"blocked_by\":[\"c\"]},{\"id\":\"c\"}]}\n```"}]},
  {"when": {"contains": "use the other way"}, "repeat": true, "steps": [{"say": "```json\n{\"good\": true}\n```"}]},
  {"when": {"contains": "number 2."}, "repeat": true, "steps": [{"say": "```json\n{\"good\": false}\n```"}]}],
  "otherwise": [{"write": {"path": "out/touched", "text": "x"}}, {"say": "```json\n{\"good\": true}\n```"}]})";

// Writes what it may not, asks, and ends its turn without an answer.
constexpr const char* kWholeReviewer = R"({"turns": [
  {"when": {"contains": "Look at it"}, "steps": [{"run": "echo stray > stray.txt"},
     {"ask": {"question": "Left?", "options": ["left", "right"]}}, {"say": "I wait."}]}],
  "otherwise": [{"say": "```json\n{\"heard\": \"left\"}\n```"}]})";

void put(env::Files& files, const std::string& path, const std::string& text) {
  CHECK(files.make_private_directory(path.substr(0, path.rfind('/'))));
  CHECK(files.write_atomically(path, text, 0644));
}

void write_whole_project(env::Files& files) {
  for (const auto& [name, text] : whole_bundle())
    put(files, fmt::format("{}/.teamster/workflows/whole/{}", kProject, name), text);
  put(files, fmt::format("{}/tasks.md", kProject), "- [ ] one\n- [ ] [P] two\n- [ ] [P] three\n");
  SimulatedRepository repository(files, kProject);
  repository.commit(repository.changed(), "chore: begin", "");
}

int write_whole_scripts(env::Files& files, const Troubles&, env::sim::SimRandom&) {
  put(files, fmt::format("{}/worker.json", kScripts), kWholeWorker);
  put(files, fmt::format("{}/reviewer.json", kScripts), kWholeReviewer);
  return 0;
}

workflow::Pinned pinned_of(const std::string& run, workflow::Bundle bundle) {
  workflow::Pinned pinned;
  pinned.run = run;
  pinned.workflow = workflow::load_workflow(bundle).workflow.value();
  pinned.bundle = std::move(bundle);
  return pinned;
}

}  // namespace

Scene implement_spec() {
  return {.pinned = pinned_of("implement-spec-20261116-1a2b", workflow::bundled_workflows().at("implement-spec")),
          .words = {"01"},
          .write_project = write_project,
          .write_scripts = write_scripts,
          .commands = project_commands()};
}

Scene whole_engine() {
  Scene scene{
      .pinned = pinned_of("whole-20261116-1a2b", whole_bundle()),
      .write_project = write_whole_project,
      .write_scripts = write_whole_scripts,
      .commands = {{"sh check.sh", [](env::Files&, const std::string&) -> ShellAnswer { return {}; }},
                   {"echo stray > stray.txt", [](env::Files& files, const std::string& directory) -> ShellAnswer {
                      put(files, directory + "/stray.txt", "stray\n");
                      return {};
                    }}}};
  scene.is_of_agents = [](const std::string& path) {
    return path.find("/out/") != std::string::npos || is_of_agents(path);
  };
  scene.people = {{"work/2/stuck", {{"answer", "use the other way"}, {"by", "kim"}}},
                  {"review/ask-1", {{"answer", "left"}, {"by", "kim"}}},
                  {"approve", {{"approved", true}, {"by", "kim"}}}};
  scene.ends_committed = false;
  return scene;
}

}  // namespace teamster::simulation
