// Every fact of a run that a prompt can ask for says something, and a run with other facts says something else.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "keys/player.h"
#include "workflow/format/load.h"
#include "workflow/format/source.h"

namespace teamster::keys {
namespace {

// A workflow whose second phase asks for nothing but this.
workflow::Bundle asking_for(const std::string& fact) {
  workflow::Bundle bundle;
  bundle["ask.md"] = "It is {{FACT}}.\n";
  bundle["begin.md"] = "Begin.\n";
  bundle["answer.json"] = R"({"type": "object"})";
  bundle[workflow::kWorkflowFile] = fmt::format(
      "name: asking\n"
      "entries: {{ whole: {{}} }}\n"
      "team: {{ name: those-who-ask }}\n"
      "roles: {{ worker: {{}}, helper: {{}} }}\n"
      "phases:\n"
      "  - {{ id: decide, kind: ask, question: {{ to: owner, text: Which }} }}\n"
      "  - {{ id: begin, role: helper, template: begin.md, returns: answer.json }}\n"
      "  - {{ id: ask, title: Ask it, role: worker, template: ask.md, returns: answer.json,\n"
      "      inputs: {{ FACT: {{ from: run/{}, default: nothing }} }} }}\n",
      fact);
  return bundle;
}

Play play_with_people() {
  Play play;
  play.words = {"whole"};
  play.people = {{"owner", "kim"},
                 {"stakeholders", Json::array({{{"handle", "kim"}, {"name", "Kim"}, {"is_qa", true}}})},
                 {"groups", Json::array({Json::array({"kim", "lee"})})}};
  play.steps["begin"] = {Json{{"$fails", "crashed"}}, Json{{"$fails", "crashed"}},
                         Json{{"signal", "PASS|gaps:0"}, {"insights", {"it is small"}}}};
  return play;
}

// These say here what another says, too: a phase with a team, a run without chat, a person for all.
const std::set<std::string> kSame = {"team_phase", "has_qa", "channel", "channel_name", "own_directives"};

TEST(Sources, EveryFactOfTheRunIsInThePrompt) {
  std::set<std::string> said;
  for (const std::string& fact : workflow::run_facts()) {
    // Of items and of a checklist: workflow/core/next_checklist_test.cc
    if (fact == "item_number" || fact == "ticked" || fact == "boxes") continue;
    const auto bundle = asking_for(fact);
    const auto loaded = workflow::load_workflow(bundle);
    ASSERT_TRUE(loaded.workflow) << fact << ": " << loaded.problems.front().text();
    Trace trace = Player(bundle, *loaded.workflow, play_with_people()).play();
    const auto& prompts = trace[place::kPrompt];
    const auto asked = std::find_if(prompts.begin(), prompts.end(),
                                    [](const std::string& prompt) { return prompt.starts_with("It is "); });
    ASSERT_NE(asked, prompts.end()) << fact;
    EXPECT_EQ(asked->find("nothing"), std::string::npos) << fact << ": " << *asked;
    EXPECT_TRUE(said.insert(*asked).second || kSame.contains(fact)) << fact << " says nothing of its own: " << *asked;
  }
}

}  // namespace
}  // namespace teamster::keys
