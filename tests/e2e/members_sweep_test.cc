// Kill everywhere, in a run in which members begin with their first turns, begin new conversations, work by skills and
// go when nothing leads to them any more, and in which a phase asks who the people are. Wherever the engine is killed,
// the run ends with the same answers, the same people and nobody left.
#include <csignal>

#include "e2e/own_workflow.h"

namespace teamster::e2e {
namespace {

constexpr const char* kWorkflow = R"(
name: crew
args: { n: { about: which } }
key: '{{args/n}}'
roles: { author: {}, critic: { writes: [] }, chief: { writes: [] } }
team: { name: 'crew-{{args/n}}', from: write }
state: { file: 'state-{{args/n}}.json', fields: { stage: '{{run/phase_number}}', people: '{{run/stakeholders}}' } }
phases:
  - { id: who, stage: P0, kind: ask, sets: people, question: { text: 'Who?' } }
  - { id: write, stage: P1, role: author, skill: writing, template: write.md, returns: any.json }
  - id: look
    stage: P2
    kind: fanout
    role: critic
    fresh: true
    items: { members: 1, list: [ { id: a, skill: writing }, { id: b, skill: writing } ] }
    team: { name: 'look-{{args/n}}' }
    template: look.md
    returns: any.json
  - { id: tidy, stage: P3, role: author, fresh: true, template: tidy.md, returns: any.json }
  - { id: end, stage: P4, role: chief, template: end.md, returns: any.json }
  - { id: safe, stage: P5, kind: ask, question: { text: 'Safe?', expertise: security } }
)";

constexpr const char* kHears = R"({"turns": [], "otherwise": [{"report": {"heard": "{{HEARD}}"}}, {"say": "done"}]})";

constexpr const char* kPeople = R"({"who": [{"answer": "sam, Sam, law", "by": "kim"}, {"answer": "sam, Sam, security", "by": "kim"}],
  "safe": {"answer": "yes", "by": "sam"}})";

class MembersSweep : public OwnWorkflow {
 protected:
  MembersSweep() {
    workflow("crew", kWorkflow,
             {{"write.md", "Write it.\n"},
              {"look.md", "Look at {{ITEM_NUMBER}}.\n"},
              {"tidy.md", "Tidy up.\n"},
              {"end.md", "End it.\n"},
              {"any.json", R"({"type":"object","required":["heard"],"properties":{"heard":{"type":"string"}}})"}});
    project_file(".teamster/skills/writing/SKILL.md",
                 "---\nname: writing\ndescription: How writing is done, for those who write.\n---\n\nSlowly.\n");
    for (const char* role : {"author", "critic", "chief"}) script(role, kHears);
    write_file(home_.scratch() + "/people.json", kPeople);
  }

  struct Ending {
    std::map<std::string, std::string> heard;  // by phase, the first line that its conversation began with
    std::string state;
    std::vector<std::string> points;
  };
  static std::string name_of(const std::string& n) { return "crew-20261116-" + std::string(4 - n.size(), '0') + n; }
  static std::string of_run(std::string point, const std::string& n) {
    for (const auto& [from, to] : {std::pair{name_of("0"), name_of(n)}, std::pair{std::string("crew-0"), "crew-" + n},
                                   std::pair{std::string("look-0"), "look-" + n}})
      if (const std::size_t at = point.find(from); at != std::string::npos) point.replace(at, from.size(), to);
    return point;
  }
  Ending play(const std::string& n, const std::string& point) {
    Words words = run_words("crew");
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
  static std::string beginning(const Json& answer) {
    const std::string heard = answer.value("heard", "");
    return heard.substr(0, heard.find('\n'));
  }
  Ending ending_of(const std::string& n) {
    Ending ending;
    const std::string run = name_of(n);
    EXPECT_EQ(home_.run({"status", run, "--json"}).json["status"], "done") << said_;
    const Json replay = home_.ok({"replay", run});
    EXPECT_EQ(replay["differences"], Json::array());
    for (const auto& [phase, answer] : replay["state"]["answers"].items()) {
      const Json& value = answer["value"];
      if (value.is_array())
        for (std::size_t i = 0; i < value.size(); ++i)
          ending.heard[phase + "/" + std::to_string(i + 1)] = beginning(value[i]);
      else
        ending.heard[phase] = beginning(value);
    }
    ending.state = project_text("state-" + n + ".json");
    for (const auto& event : events(run)) {
      const std::string step = event["body"].value("step", "");
      const std::string about = step.empty() ? "" : ":" + step + "." + event["body"]["attempt"].dump();
      for (const char* when : {":before", ":after"})
        ending.points.push_back(event["kind"].get<std::string>() + about + when);
    }
    EXPECT_TRUE(home_.ok({"team", "list"})["teams"].empty()) << "nobody is left";
    return ending;
  }
};

TEST_F(MembersSweep, WhereverTheEngineIsKilledTheRunEndsAlike) {
  const Ending whole = play("0", "");
  EXPECT_EQ(whole.heard.at("look/1"), "Look at 1.");
  EXPECT_EQ(whole.heard.at("look/2"), "Look at 2.") << "each item in a conversation of its own";
  EXPECT_EQ(whole.heard.at("tidy"), "Tidy up.");
  EXPECT_EQ(decided(name_of("0"), "retire").size(), 1U) << "the author, when only the end is left";
  EXPECT_EQ(decided(name_of("0"), "ask").size(), 3U);
  ASSERT_GT(whole.points.size(), 30U);
  // All of them with TEAMSTER_SWEEP=1; else every fifth.
  const std::size_t every = std::getenv("TEAMSTER_SWEEP") == nullptr ? 5 : 1;
  int number = 0;
  for (std::size_t at = 2; at < whole.points.size(); at += every) {
    const std::string& point = whole.points[at];
    if (point == "run.started:before" || point.starts_with("run.leased") || point.starts_with("run.told") ||
        point == "run.ended:after")
      continue;
    said_.clear();
    const Ending ending = play(std::to_string(++number), point);
    EXPECT_EQ(ending.heard, whole.heard) << point;
    EXPECT_EQ(ending.state, whole.state) << point;
    if (HasFailure()) break;
  }
}

}  // namespace
}  // namespace teamster::e2e
