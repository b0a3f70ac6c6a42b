#include "rehearsal/stub_scripts.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "rehearsal/stub_answer.h"

namespace teamster::cli {
namespace {

using workflow::Phase;

constexpr std::size_t kMarkMaxBytes = 80;

// A workflow and those that its phases run, each once.
struct StubbedWorkflow {
  workflow::Workflow workflow;
  workflow::Bundle bundle;
};

Result<void> add_workflow(const FoundWorkflow& found, const WorkflowPlaces& places, std::set<std::string>& seen,
                          std::vector<StubbedWorkflow>& all) {
  if (!seen.insert(found.name).second) return {};
  all.push_back({TRY(load_checked(found)), found.bundle});
  const std::vector<Phase> phases = all.back().workflow.phases;
  for (const auto& phase : phases)
    if (phase.kind == Phase::Kind::workflow)
      TRY_VOID(add_workflow(TRY(places.find(phase.workflow)), places, seen, all));
  return {};
}

// What a role does when it is told this.
struct StubbedTurn {
  std::string prompt;  // template
  Json steps;
};

// A list that another phase works off has something to do.
std::string text_of_file(const workflow::Workflow& workflow, const std::string& path) {
  const bool is_checklist = std::any_of(workflow.phases.begin(), workflow.phases.end(), [&](const Phase& phase) {
    return phase.items && phase.items->checklist == path;
  });
  return is_checklist ? "- [ ] written in a rehearsal\n" : "Written in a rehearsal.\n";
}

Json steps_of(const workflow::Workflow& workflow, const StubAnswer& answer, const Phase& phase) {
  Json steps = Json::array();
  if (!answer.problem.empty())
    steps.push_back({{"think", fmt::format("The answer of {} is to be written here: {}", phase.id, answer.problem)}});
  for (const auto& file : answer.files)
    steps.push_back({{"append", {{"path", file}, {"text", text_of_file(workflow, file)}}}});
  steps.push_back({{"report", answer.value}});
  steps.push_back({{"say", fmt::format("{} is done", phase.id)}});
  return steps;
}

// What stands in each prompt that is made of the template, a line at a time.
std::vector<std::string> fixed_words(std::string_view text) {
  std::vector<std::string> found;
  while (!text.empty()) {
    std::string_view rest = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(rest.size() + 1, text.size()));
    while (!rest.empty()) {
      const std::size_t open = rest.find("{{");
      const std::string part(trimmed(rest.substr(0, open)));
      if (!part.empty()) found.push_back(part.substr(0, kMarkMaxBytes));
      const std::size_t close = open == std::string_view::npos ? open : rest.find("}}", open);
      rest = close == std::string_view::npos ? std::string_view() : rest.substr(close + 2);
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return found;
}

// A turn is found by words that only its own template has. One that has none is taken in its order, once.
Json turn_of(const StubbedTurn& turn, const std::vector<StubbedTurn>& all) {
  const auto is_elsewhere = [&](const std::string& words) {
    return std::count_if(all.begin(), all.end(),
                         [&](const StubbedTurn& each) { return each.prompt.find(words) != std::string::npos; }) > 1;
  };
  const auto words = fixed_words(turn.prompt);
  const auto own = std::find_if_not(words.begin(), words.end(), is_elsewhere);
  Json made = {{"steps", turn.steps}};
  if (own != words.end()) {
    made["when"] = {{"contains", *own}};
    made["repeat"] = true;
  } else if (!words.empty()) {
    made["when"] = {{"contains", words.front()}};
  }
  return made;
}

Json script_of(const std::vector<StubbedTurn>& turns) {
  if (turns.size() == 1) return {{"turns", Json::array()}, {"otherwise", turns.front().steps}};
  Json script = {{"turns", Json::array()}};
  for (const auto& turn : turns) script["turns"].push_back(turn_of(turn, turns));
  return script;
}

class Stubs {
 public:
  void add(const StubbedWorkflow& of) {
    for (const auto& [name, role] : of.workflow.roles)
      if (!role.is_native) roles_[name];
    for (const auto& phase : of.workflow.phases) add(of, phase);
  }

  FileContents files() const {
    FileContents files;
    for (const auto& [role, turns] : roles_) files[role + ".json"] = script_of(turns).dump(2) + "\n";
    if (!people_.empty()) files["people.json"] = people_.dump(2) + "\n";
    return files;
  }

 private:
  void add(const StubbedWorkflow& of, const Phase& phase) {
    if (phase.question) people_.emplace(phase.id, stub_reply(of.workflow, phase));
    if (phase.kind != Phase::Kind::agent && phase.kind != Phase::Kind::fanout) return;
    const Json work = steps_of(of.workflow, stub_answer(of.workflow, of.bundle, phase, StubTurn::work), phase);
    std::vector<std::string> roles = phase.roles;
    if (roles.empty()) roles.push_back(phase.role);
    for (const auto& role : roles) add_turn(role, of.bundle, phase.template_file, work);
    if (phase.merge.empty()) return;
    const Json merged = steps_of(of.workflow, stub_answer(of.workflow, of.bundle, phase, StubTurn::merge), phase);
    add_turn(phase.merge, of.bundle, phase.merge_template, merged);
  }

  void add_turn(const std::string& role, const workflow::Bundle& bundle, const std::string& file, const Json& steps) {
    const auto text = bundle.find(file);
    roles_[role].push_back({text == bundle.end() ? std::string() : text->second, steps});
  }

  std::map<std::string, std::vector<StubbedTurn>> roles_;
  Json people_ = Json::object();
};

}  // namespace

Result<FileContents> stub_scripts(const FoundWorkflow& workflow, const WorkflowPlaces& places) {
  std::set<std::string> seen;
  std::vector<StubbedWorkflow> all;
  TRY_VOID(add_workflow(workflow, places, seen, all));
  Stubs stubs;
  for (const auto& each : all) stubs.add(each);
  return stubs.files();
}

Result<std::vector<std::string>> write_stub_scripts(env::Files& files, const std::string& directory,
                                                    const FileContents& scripts) {
  std::vector<std::string> there;
  std::vector<std::string> written;
  for (const auto& [name, text] : scripts)
    if (TRY(files.status(directory + "/" + name)).has_value()) there.push_back(name);
  if (!there.empty())
    return fail(Code::refused, fmt::format("{} has {} already", directory, join(there, ", ")),
                "Play them without --init, remove them, or write others with --script DIRECTORY");
  for (std::size_t end = directory.find('/', 1); end != std::string::npos; end = directory.find('/', end + 1))
    TRY_VOID(files.make_directory(directory.substr(0, end), 0755));
  TRY_VOID(files.make_directory(directory, 0755));
  for (const auto& [name, text] : scripts) {
    TRY_VOID(files.replace(directory + "/" + name, text, 0644));
    written.push_back(directory + "/" + name);
  }
  return written;
}

}  // namespace teamster::cli
