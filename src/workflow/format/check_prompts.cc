// Prompts: template files are there, each of their names is filled, and each input is wanted and
// comes from an answer that can have been given by then.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "workflow/format/checking.h"
#include "workflow/format/source.h"
#include "workflow/format/spec_words.h"
#include "yaml/lines.h"

namespace teamster::workflow {
namespace {

using Kind = Phase::Kind;
using Names = std::set<std::string>;

const Names kPhaseWords = {"PHASE_NUMBER", "PHASE_NAME", "RUN_ID"};
const Names kItemWords = {"ITEM", "ITEM_NUMBER", "ITEMS", "FINDINGS"};
const Names kMessageWords = {"PROMPT", "CONTEXT", "PREAMBLE", "SKILLS", "ANSWERS", "SKILL", "OUTPUT_FILE"};
const Names kReportWords = {"STATUS", "REASON", "NOTED", "RUN_ID"};

Names names_of(const Inputs& inputs) {
  Names names;
  for (const auto& [name, input] : inputs) names.insert(name);
  return names;
}

Names joined(Names a, const Names& b) {
  a.insert(b.begin(), b.end());
  return a;
}

bool needs_answer(const Input& input) {
  return !input.by_sender.empty() || std::any_of(input.sources.begin(), input.sources.end(), [](const Source& source) {
    return source.kind == Source::Kind::answer || source.kind == Source::Kind::item;
  });
}

// The place of the first file that has one.
Names word_of_output(const std::vector<NamedFile>& files) {
  const bool has_place = std::any_of(files.begin(), files.end(), [](const auto& file) { return !file.path.empty(); });
  return has_place ? Names{"OUTPUT_FILE"} : Names{};
}

bool is_of_item(const Input& input) {
  return std::any_of(input.sources.begin(), input.sources.end(),
                     [](const Source& source) { return source.kind == Source::Kind::item; });
}

// Whether every member that the template is for works by a skill.
bool has_skill(const Phase& phase) {
  if (!phase.skill.empty()) return true;
  return phase.items && !phase.items->fixed.empty() &&
         std::all_of(phase.items->fixed.begin(), phase.items->fixed.end(),
                     [&](const Json& item) { return !skill_for(phase, &item).empty(); });
}

class PromptChecker {
 public:
  explicit PromptChecker(const Checking& checking) : checking_(checking) {}

  void check() {
    check_inputs_for_all();
    check_messages();
    for (std::size_t i = 0; i < checking_.workflow.phases.size(); ++i) check_phase(i);
    check_roles();
    check_report();
    for (const auto& [name, input] : checking_.workflow.inputs)
      if (!used_.contains(name) && !taken_.contains(name)) unused(checking_.root().at("inputs").at(name), name);
  }

 private:
  void unused(const Spot& spot, const std::string& name) const {
    checking_.problem(spot, fmt::format("no template uses the input {}", name));
  }

  // What the engine fills in cannot be an input, too.
  void check_names(const Spot& spot, const Inputs& inputs, const Names& taken) const {
    for (const auto& [name, input] : inputs)
      if (taken.contains(name))
        checking_.problem(spot.at(name),
                          fmt::format("the engine itself fills {{{{{}}}}}: give the input another name", name));
  }

  // The names that a template uses. Those that are not known are problems of its file.
  Names check_file(const Spot& spot, const std::string& name, const Names& known) {
    if (name.empty()) return {};
    const std::string* text = find_file(spot, name, checking_.document.file, checking_.bundle, checking_.problems);
    if (text == nullptr) return known;  // nothing more can be said about them
    if (const auto bad = find_unreadable(*text)) {
      checking_.problems.add(name, Lines(*text).place_of_byte(bad->at), bad->what);
      return known;
    }
    const Template parsed = Template::parse(name, *text, checking_.problems);
    Names used;
    for (const auto& placeholder : parsed.placeholders()) {
      used.insert(placeholder.name);
      if (!known.contains(placeholder.name))
        checking_.problems.add(name, placeholder.place,
                               fmt::format("{{{{{}}}}} is no input of this prompt{}", placeholder.name,
                                           suggestion(placeholder.name, {known.begin(), known.end()})));
    }
    used_.insert(used.begin(), used.end());
    return used;
  }

  void check_inputs_for_all() const {
    check_names(checking_.root().at("inputs"), checking_.workflow.inputs, taken_);
    for (const auto& [name, input] : checking_.workflow.inputs) {
      const Spot spot = checking_.root().at("inputs").at(name);
      check_sources(spot, input.sources, {.loops = true, .answers = true});
      check_sides(checking_, spot.at("only"), input.only, std::nullopt);
      if (!input.by_sender.empty())
        checking_.problem(spot.at("by"), "`by` belongs to the inputs of a phase");
      else if (needs_answer(input) && !input.fallback)
        checking_.problem(spot,
                          fmt::format("the input {} of every phase needs a `default`: the first phase comes before "
                                      "all answers",
                                      name));
    }
  }

  void check_sources(const Spot& spot, const std::vector<Source>& sources, const Allowed& allowed) const {
    for (std::size_t i = 0; i < sources.size(); ++i)
      check_source(checking_, sources.size() > 1 ? spot.at("from").at(i) : spot.at("from"), sources[i], allowed);
  }

  void check_messages() {
    const Messages& messages = checking_.workflow.messages;
    const Spot spot = checking_.root().at("messages");
    const Names known = joined(joined(kPhaseWords, names_of(checking_.workflow.inputs)), {"PROMPT", "CONTEXT"});
    const Names first = check_file(spot.at("first"), messages.first, joined(known, {"PREAMBLE", "SKILLS"}));
    const Names later = check_file(spot.at("later"), messages.later, known);
    if (!messages.first.empty() && !first.contains("PROMPT"))
      checking_.problem(spot.at("first"), "the first message does not use {{PROMPT}}");
    if (!messages.later.empty() && !later.contains("PROMPT"))
      checking_.problem(spot.at("later"), "the later message does not use {{PROMPT}}");
    if (!messages.preamble.empty() && !messages.first.empty() && !first.contains("PREAMBLE"))
      checking_.problem(spot.at("first"), "a preamble is declared, but the first message does not use {{PREAMBLE}}");
    has_context_ = first.contains("CONTEXT") || later.contains("CONTEXT");
    check_marker(spot.at("marker"), messages.marker);
  }

  void check_marker(const Spot& spot, const std::string& marker) const {
    if (marker.empty()) return;
    check_text(checking_, spot, marker, {.words = {"PHASE_NUMBER", "PHASE_NAME"}});
    if (marker.find("{{PHASE_") == std::string::npos)
      return checking_.problem(spot, "the marker needs {{PHASE_NUMBER}} or {{PHASE_NAME}} to tell phases apart");
    std::map<std::string, std::string> phases;
    for (const auto& phase : checking_.workflow.phases) {
      if (phase.template_file.empty()) continue;
      const bool has_number = marker.find("{{PHASE_NUMBER") != std::string::npos;
      const bool has_name = marker.find("{{PHASE_NAME") != std::string::npos;
      const std::string words = fmt::format("{}\n{}", has_number ? stage_of(phase) : "", has_name ? phase.title : "");
      const auto [other, is_new] = phases.emplace(words, phase.id);
      if (!is_new)
        checking_.problem(spot, fmt::format("the marker of the phases '{}' and '{}' is the same: use both "
                                            "{{{{PHASE_NUMBER}}}} and {{{{PHASE_NAME}}}}, or give them other titles",
                                            other->second, phase.id));
    }
  }

  void check_phase(std::size_t index) {
    const Phase& phase = checking_.workflow.phases[index];
    if (phase.template_file.empty()) return;
    const Spot spot = checking_.phase(index);
    Names known = joined(joined(kPhaseWords, names_of(checking_.workflow.inputs)), names_of(phase.inputs));
    check_names(spot.at("inputs"), phase.inputs, taken_);
    Names given = joined(phase.kind == Kind::agent ? Names{} : kItemWords, word_of_output(phase.files));
    if (has_skill(phase)) given.insert("SKILL");
    Names used = check_file(spot.at("template"), phase.template_file, joined(known, given));
    if (!phase.merge_template.empty()) {
      // There is no item when all are merged.
      for (const auto& [name, input] : phase.inputs)
        if (is_of_item(input)) known.erase(name);
      Names of_merge = joined({"ANSWERS", "ITEMS"}, word_of_output(phase.merge_files));
      if (!phase.merge_skill.empty()) of_merge.insert("SKILL");
      used = joined(used, check_file(spot.at("merge").at("template"), phase.merge_template, joined(known, of_merge)));
    }
    for (const auto& [name, input] : phase.inputs) {
      const Spot place = spot.at("inputs").at(name);
      if (!used.contains(name) && !has_context_) unused(place, name);
      check_input(index, place, input);
    }
  }

  void check_input(std::size_t index, const Spot& spot, const Input& input) const {
    const Allowed allowed{.loops = true, .answers = true, .item = checking_.workflow.phases[index].kind != Kind::agent};
    check_sources(spot, input.sources, allowed);
    check_sides(checking_, spot.at("only"), input.only, index);
    if (!input.fallback)
      for (const auto& source : input.sources) check_runs_before(index, spot, source);
    for (const auto& [sender, sources] : input.by_sender)
      check_sender(index, spot.at("by").at(sender), sender, sources);
    if (!input.by_sender.empty() && !input.fallback) check_all_senders(index, spot, input);
  }

  // By whichever entry the run comes here.
  void check_runs_before(std::size_t index, const Spot& spot, const Source& source) const {
    const Flow& flow = checking_.flow;
    const auto from = source.kind == Source::Kind::answer ? flow.index_of(source.name) : std::nullopt;
    if (!from) return;
    for (const auto& route : flow.routes()) {
      if (!flow.reachable(route)[index]) continue;
      const bool can_run_first = *from != index && flow.reachable(route, index)[*from];
      if (can_run_first && flow.reaches(route, *from, index)) continue;
      return checking_.problem(
          spot, fmt::format("{}: {}the phase '{}' cannot have run when this one runs first: give a `default`",
                            source_text(source),
                            route.entry.empty() ? "" : fmt::format("by the entry '{}' ", route.entry), source.name));
    }
  }

  bool leads_here(std::size_t from, std::size_t index) const {
    const auto& steps = checking_.flow.steps();
    return std::any_of(steps.begin(), steps.end(),
                       [&](const Step& step) { return step.from == from && step.to == index; });
  }

  void check_sender(std::size_t index, const Spot& spot, const std::string& sender,
                    const std::vector<Source>& sources) const {
    const auto from = checking_.flow.index_of(sender);
    if (!from || !leads_here(*from, index)) {
      std::vector<std::string> known;
      for (std::size_t i = 0; i < checking_.workflow.phases.size(); ++i)
        if (leads_here(i, index)) known.push_back(checking_.workflow.phases[i].id);
      return checking_.problem(spot,
                               fmt::format("no way leads here from a phase '{}'{}", sender, suggestion(sender, known)));
    }
    for (const auto& source : sources) check_source(checking_, spot, source, {.loops = true, .answers = true});
  }

  void check_all_senders(std::size_t index, const Spot& spot, const Input& input) const {
    for (const auto& route : checking_.flow.routes())
      if (route.first == index)
        return checking_.problem(
            spot.at("by"),
            fmt::format("{} begins here, and then no phase led here: give a "
                        "`default`",
                        route.entry.empty() ? std::string("a run") : fmt::format("the entry '{}'", route.entry)));
    for (std::size_t i = 0; i < checking_.workflow.phases.size(); ++i) {
      const std::string& id = checking_.workflow.phases[i].id;
      if (leads_here(i, index) && !input.by_sender.contains(id))
        checking_.problem(spot.at("by"),
                          fmt::format("the phase '{}' leads here, too: name its source, or give a `default`", id));
    }
  }

  // An agent's standing instructions are written before there is any answer.
  void check_roles() {
    Names known = {"RUN_ID"};
    for (const auto& [name, input] : checking_.workflow.inputs)
      if (!needs_answer(input)) known.insert(name);
    for (const auto& [name, role] : checking_.workflow.roles)
      check_file(checking_.root().at("roles").at(name).at("prompt"), role.prompt, known);
  }

  void check_report() {
    const Workflow& workflow = checking_.workflow;
    if (workflow.report.empty()) return;
    const Spot report = checking_.root().at("report");
    check_names(report.at("inputs"), workflow.report_inputs, kReportWords);
    const Names known = joined(names_of(workflow.report_inputs), kReportWords);
    const Names used = check_file(report.at("template"), workflow.report, known);
    for (const auto& [name, input] : workflow.report_inputs) {
      const Spot spot = report.at("inputs").at(name);
      if (!used.contains(name)) unused(spot, name);
      check_sources(spot, input.sources, {.loops = true, .answers = true});
      if (!input.by_sender.empty())
        checking_.problem(spot.at("by"), "`by` belongs to the inputs of a phase");
      else if (needs_answer(input) && !input.fallback)
        checking_.problem(spot,
                          fmt::format("the input {} of the report needs a `default`: a run may end before", name));
    }
  }

  const Checking& checking_;
  const Names taken_ = joined(joined(kPhaseWords, kItemWords), kMessageWords);
  Names used_;
  bool has_context_ = false;
};

// Names that the shell, git or teamster read something into.
bool is_of_the_environment(const std::string& name) {
  static const Names kNames = {"PATH", "HOME",   "IFS", "ENV",    "SHELL",  "BASH_ENV", "PWD",
                               "USER", "TMPDIR", "PS4", "CDPATH", "EDITOR", "PAGER"};
  return kNames.contains(name) || name.starts_with("LD_") || name.starts_with("GIT_") || name.starts_with("TEAMSTER_");
}

}  // namespace

void check_input_sources(const Checking& checking, const Spot& spot, const Inputs& inputs, const Allowed& allowed) {
  for (const auto& [name, input] : inputs) {
    const Spot here = spot.at(name);
    for (std::size_t i = 0; i < input.sources.size(); ++i)
      check_source(checking, input.sources.size() > 1 ? here.at("from").at(i) : here.at("from"), input.sources[i],
                   allowed);
    check_sides(checking, here.at("only"), input.only, std::nullopt);
    if (!input.by_sender.empty()) checking.problem(here.at("by"), "`by` belongs to the inputs of a prompt");
    if (is_of_the_environment(name))
      checking.problem(here, fmt::format("{} means something to the programs that the command starts: give the input "
                                         "another name",
                                         name));
  }
}

void check_prompts(const Checking& checking) { PromptChecker(checking).check(); }

}  // namespace teamster::workflow
