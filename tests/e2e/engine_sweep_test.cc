// Kill everywhere, in a run that has all that an engine does besides turns one after the other: items with blockers and
// a ladder, one that parks, a checklist, a team from a phase on, state for others, a question of an agent, a gate, and
// what a role may not write. The engine is killed at points of its journal, before and after the record is there; the
// run always ends with the same answers and the same files, and each person was asked once.
#include <csignal>

#include "e2e/own_workflow.h"

namespace teamster::e2e {
namespace {

constexpr const char* kSweptWorkflow = R"(
name: whole
about: All that an engine does.
args: { n: { about: which } }
key: '{{args/n}}'
roles:
  worker: { writes: [out, '*.json'] }
  reviewer: { writes: [] }
team: { name: 'crew-{{args/n}}', scope: run, from: work }
state: { file: 'state-{{args/n}}.json', fields: { phase: '{{run/phase}}', heard: '{{review/heard}}' } }
ladder: { retry: 0, mend: 0, fresh: 1 }
phases:
  - { id: plan, role: worker, template: plan.md, returns: plan.json }
  - id: work
    kind: fanout
    role: worker
    template: work.md
    returns: done.json
    pass: { good: true }
    items: { from: plan/items, members: 2 }
  - id: list
    kind: fanout
    role: worker
    template: list.md
    returns: done.json
    items: { checklist: 'tasks-{{args/n}}.md', group: '[P]', members: 2 }
  - { id: review, role: reviewer, template: review.md, returns: heard.json }
  - { id: approve, kind: gate, question: { text: 'Good?' }, on: [ { when: { approved: false }, block: 'no' } ] }
)";

constexpr const char* kWorker = R"({"turns": [
  {"when": {"contains": "Plan it"},
   "steps": [{"say": "```json\n{\"items\":[{\"id\":\"a\"},{\"id\":\"b\",\"blocked_by\":[\"c\"]},{\"id\":\"c\"}]}\n```"}]},
  {"when": {"contains": "use the other way"}, "steps": [{"say": "```json\n{\"good\": true}\n```"}]},
  {"when": {"contains": "number 2."}, "steps": [{"say": "```json\n{\"good\": false}\n```"}]}],
  "otherwise": [{"write": {"path": "out/touched", "text": "x"}}, {"say": "```json\n{\"good\": true}\n```"}]})";

constexpr const char* kReviewer = R"({"turns": [
  {"when": {"contains": "Look at it"}, "steps": [{"run": "echo stray > stray.txt"}, {"ask": {"question": "Left?", "options": ["left", "right"]}},
             {"say": "I wait."}]}],
  "otherwise": [{"say": "```json\n{\"heard\": \"left\"}\n```"}]})";

constexpr const char* kPeople = R"({"work/2/stuck": {"answer": "use the other way", "by": "kim"},
  "review/ask-1": {"answer": "left", "by": "kim"}, "approve": {"approved": true, "by": "kim"}})";

class EngineSweep : public OwnWorkflow {
 protected:
  EngineSweep() {
    workflow("whole", kSweptWorkflow,
             {{"plan.md", "Plan it.\n"},
              {"work.md", "Do number {{ITEM_NUMBER}}.\n"},
              {"list.md", "Do {{ITEM}} of the list.\n"},
              {"review.md", "Look at it.\n"},
              {"plan.json", R"({"type":"object","required":["items"],"properties":{"items":{"type":"array"}}})"},
              {"done.json", R"({"type":"object","required":["good"],"properties":{"good":{"type":"boolean"}}})"},
              {"heard.json", R"({"type":"object","required":["heard"],"properties":{"heard":{"type":"string"}}})"}});
    script("worker", kWorker);
    script("reviewer", kReviewer);
    write_file(home_.scratch() + "/people.json", kPeople);
    Start start = start_of({});
    start.command = {"/usr/bin/env",
                     "-C",
                     project_,
                     "/bin/sh",
                     "-c",
                     "git init -q . && git config user.name Ada && git config user.email ada@example.org && "
                     "git commit -q --allow-empty -m begin"};
    Process git(start);
    EXPECT_EQ(git.wait(), 0) << git.err();
  }

  struct Ending {
    Json answers;
    std::string tasks;
    std::string state;
    int asked = 0;
    std::vector<std::string> points;
  };
  static std::string name_of(const std::string& n) { return "whole-20261116-" + std::string(4 - n.size(), '0') + n; }
  // Some steps have the name of the run or its team in them.
  static std::string of_run(std::string point, const std::string& n) {
    for (const auto& [from, to] : {std::pair{name_of("0"), name_of(n)}, std::pair{std::string("crew-0"), "crew-" + n}})
      if (const std::size_t at = point.find(from); at != std::string::npos) point.replace(at, from.size(), to);
    return point;
  }
  // Killed at this point, unless it is empty, and taken up until it ends.
  Ending play(const std::string& n, const std::string& point) {
    project_file("tasks-" + n + ".md", "- [ ] one\n- [ ] [P] two\n- [ ] [P] three\n");
    Words words = run_words("whole");
    words.insert(words.begin() + 2, n);
    words.insert(words.end(), {"--people", home_.scratch() + "/people.json"});
    Words first = words;
    first.insert(first.end(), {"--as", name_of(n)});
    if (!point.empty()) first.insert(first.end(), {"--fault", "kill engine@" + of_run(point, n)});
    const int exit = teamster(first);
    EXPECT_EQ(exit, point.empty() ? 0 : 128 + SIGKILL) << point << "\n" << said_;
    for (int left = 3; exit != 0 && left > 0; --left)
      if (teamster(words) == 0) break;
    return ending_of(n);
  }
  Ending ending_of(const std::string& n) {
    Ending ending;
    const std::string run = name_of(n);
    EXPECT_EQ(home_.run({"status", run, "--json"}).json["status"], "done") << said_;
    const Json replay = home_.ok({"replay", run});
    EXPECT_EQ(replay["differences"], Json::array());
    for (const auto& [phase, answer] : replay["state"]["answers"].items()) ending.answers[phase] = answer["value"];
    ending.tasks = project_text("tasks-" + n + ".md");
    ending.state = project_text("state-" + n + ".json");
    ending.asked = static_cast<int>(decided(run, "ask").size());
    const Json log = events(run);
    for (const auto& event : log) {
      const std::string step = event["body"].value("step", "");
      const std::string about = step.empty() ? "" : ":" + step + "." + event["body"]["attempt"].dump();
      for (const char* when : {":before", ":after"})
        ending.points.push_back(event["kind"].get<std::string>() + about + when);
    }
    EXPECT_FALSE(std::filesystem::exists(project_ + "/stray.txt")) << "a role without writes wrote it";
    return ending;
  }
};

TEST_F(EngineSweep, WhereverTheEngineIsKilledTheRunEndsAlike) {
  const Ending whole = play("0", "");
  EXPECT_EQ(whole.tasks, "- [x] one\n- [x] [P] two\n- [x] [P] three\n");
  EXPECT_EQ(whole.asked, 3) << "one that parks, one of an agent, a gate";
  EXPECT_EQ(whole.answers["review"], Json::parse(R"({"heard": "left"})"));
  ASSERT_GT(whole.points.size(), 40U);
  // All of them with TEAMSTER_SWEEP=1; else every seventh.
  const std::size_t every = std::getenv("TEAMSTER_SWEEP") == nullptr ? 7 : 1;
  int number = 0;
  for (std::size_t at = 0; at < whole.points.size(); at += every) {
    const std::string& point = whole.points[at];
    // Before the first there is no run, the hub writes some records, and behind the last there is nothing to kill.
    if (point == "run.started:before" || point.starts_with("run.leased") || point.starts_with("run.told") ||
        point == "run.ended:after")
      continue;
    said_.clear();
    const Ending ending = play(std::to_string(++number), point);
    EXPECT_EQ(ending.answers, whole.answers) << point;
    EXPECT_EQ(ending.tasks, whole.tasks) << point;
    EXPECT_EQ(ending.state, whole.state) << point;
    EXPECT_EQ(ending.asked, whole.asked) << point;
    if (HasFailure()) break;
  }
}

}  // namespace
}  // namespace teamster::e2e
