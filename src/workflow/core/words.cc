#include "workflow/core/words.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>

#include <fmt/format.h>

#include "base/text.h"
#include "workflow/core/ladder_words.h"
#include "workflow/core/run_facts.h"
#include "workflow/core/speakers.h"
#include "workflow/core/speech_of_others.h"
#include "workflow/core/step_names.h"
#include "workflow/format/source.h"
#include "workflow/format/spec_words.h"
#include "workflow/format/template.h"

namespace teamster::workflow {
namespace {

using WordMap = std::map<std::string, std::string>;

Json of_entries(const Json& list, std::span<const std::string> path);

// Nothing but what is asked for is copied: an answer may be a list of ten thousand items. A field of a list is the list
// of what its entries have there, and of lists one after the other.
Json at_path(const Json& value, std::span<const std::string> path) {
  const Json* at = &value;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (at->is_array()) return of_entries(*at, path.subspan(i));
    if (!at->is_object()) return {};
    const auto inner = at->find(path[i]);
    if (inner == at->end()) return {};
    at = &*inner;
  }
  return *at;
}

Json of_entries(const Json& list, std::span<const std::string> path) {
  Json all = Json::array();
  for (const auto& entry : list) {
    Json inner = at_path(entry, path);
    if (inner.is_array())
      all.insert(all.end(), inner.begin(), inner.end());
    else if (!inner.is_null())
      all.push_back(std::move(inner));
  }
  return all;
}

std::vector<std::string> steps_of(const std::string& path) {
  std::vector<std::string> steps;
  for (std::size_t from = 0; from <= path.size();) {
    const std::size_t to = std::min(path.find('/', from), path.size());
    steps.push_back(path.substr(from, to - from));
    from = to + 1;
  }
  return steps;
}

Json where_it_holds(Json list, const Json& where) {
  if (!where.is_object() || !list.is_array()) return list;
  Json kept = Json::array();
  for (const auto& entry : list) {
    bool fits = entry.is_object();
    for (const auto& [name, value] : where.items()) fits = fits && entry.contains(name) && entry[name] == value;
    if (fits) kept.push_back(entry);
  }
  return kept;
}

bool is_nothing(const Json& value) {
  return value.is_null() || (value.is_string() && value.get_ref<const std::string&>().empty()) ||
         ((value.is_array() || value.is_object()) && value.empty());
}

// Lists one after the other; of single values the first that says something, unless there are lists.
Json joined(const Pinned& pinned, const Moment& moment, const std::vector<Source>& sources) {
  if (sources.size() == 1) return value_of(pinned, moment, sources.front());
  Json all = Json::array();
  for (const auto& source : sources) {
    Json value = value_of(pinned, moment, source);
    if (is_nothing(value)) continue;
    if (value.is_array())
      all.insert(all.end(), value.begin(), value.end());
    else
      all.push_back(std::move(value));
  }
  return all;
}

const std::vector<Source>& sources_now(const Moment& moment, const Input& input) {
  const auto by_sender = input.by_sender.find(moment.state.sender);
  return by_sender == input.by_sender.end() ? input.sources : by_sender->second;
}

// Whether the words are fenced: in a prompt, not in a command's environment or a report.
enum class Use { prompt, plain };

// A count that has not begun says nothing, although it has words.
bool says_nothing(const Json& value) { return is_nothing(value) || (value.is_number() && value == 0); }

struct InputWords {
  std::string text;
  bool is_nothing = false;
};

Result<InputWords> words_of_input(const Pinned& pinned, const Moment& moment, const Input& input, Use use) {
  const auto& sources = sources_now(moment, input);
  const Json value = only_holds(pinned, moment, input.only) ? joined(pinned, moment, sources) : Json();
  if (!is_nothing(value)) {
    const std::string whose = use == Use::prompt ? speakers_of(pinned, moment, sources) : "";
    return InputWords{whose.empty() ? words_of(value) : said(whose, value), says_nothing(value)};
  }
  if (input.fallback) return InputWords{*input.fallback, true};
  return fail(Code::invalid,
              fmt::format("{{{{{}}}}} has no value{}", input.name,
                          moment.phase == nullptr ? "" : " in phase " + moment.phase->id),
              "Give it a default: in workflow.yaml, or see why the phase it comes from left it empty");
}

bool is_of_item(const Input& input) {
  return std::any_of(input.sources.begin(), input.sources.end(),
                     [](const Source& source) { return source.kind == Source::Kind::item; });
}

// Without an item, as in a merge, what is said of one is nothing to say.
Result<void> add_inputs(const Pinned& pinned, const Moment& moment, const Inputs& inputs, Use use,
                        PromptWords& filled) {
  for (const auto& [name, input] : inputs) {
    if (moment.item == nullptr && is_of_item(input)) continue;
    InputWords words = TRY(words_of_input(pinned, moment, input, use));
    filled.words[name] = std::move(words.text);
    if (words.is_nothing) filled.nothing.insert(name);
  }
  return {};
}

// What the engine itself fills in; "none" where it has nothing to say.
void add_or_none(PromptWords& filled, const char* name, std::string words) {
  if (words.empty()) filled.nothing.insert(name);
  filled.words[name] = words.empty() ? "none" : std::move(words);
}

// What earlier phases left: files where there is a ledger, otherwise the answers.
std::string earlier_answers(const Pinned& pinned, const RunState& state) {
  std::string text;
  for (const auto& phase : pinned.workflow.phases) {
    const auto answer = state.answers.find(phase.id);
    if (answer == state.answers.end()) continue;
    const std::string path = artifact_path(pinned, state, phase, answer->second.sequence);
    text += path.empty() ? fmt::format("{}:\n{}\n", phase.title,
                                       fenced(speaker_of(phase, answer->second.value), dump_json(answer->second.value)))
                         : fmt::format("- {}: {}\n", phase.title, path);
  }
  return text;
}

// The phase's inputs that its template does not name and that say something, and the counts that have begun. Who is new
// also learns what was before. Empty: nothing of it.
Result<std::string> context(const Pinned& pinned, const Moment& moment, const PromptParts& parts,
                            const std::string& prompt_template) {
  std::set<std::string> named;
  const Template parsed = TRY(Template::parse(prompt_template));
  for (const auto& placeholder : parsed.placeholders()) named.insert(placeholder.name);
  std::string text;
  for (const auto& [name, input] : moment.phase->inputs) {
    if (named.count(name) != 0 || (moment.item == nullptr && is_of_item(input))) continue;
    const InputWords words = TRY(words_of_input(pinned, moment, input, Use::prompt));
    if (!words.is_nothing) text += fmt::format("{}:\n{}\n", name, words.text);
  }
  for (const auto& [name, count] : moment.state.loops)
    if (count > 0) text += fmt::format("{}: {}\n", name, count);
  if (const std::string before = earlier_answers(pinned, moment.state); parts.first && !before.empty())
    text += "What earlier phases answered, the latest of each:\n" + before;
  return text.empty() ? text : text.substr(0, text.size() - 1);
}

// What the workflow's author has listed is theirs; what an agent answered with, or an advisor proposed, is not.
std::string words_of_item(const Phase& phase, const Json& item) {
  return is_authors(phase, item) ? words_of(item) : said("the items of " + phase.id, item);
}

void add_given(const Pinned& pinned, const Moment& moment, const PromptParts& parts, PromptWords& filled) {
  WordMap& words = filled.words;
  words["PHASE_NUMBER"] = stage_of(*moment.phase);
  words["PHASE_NAME"] = moment.phase->title;
  words["RUN_ID"] = pinned.run;
  const bool is_merge = !parts.answers.is_null();
  for (const auto& named : is_merge ? moment.phase->merge_files : moment.phase->files)
    if (!named.path.empty() && words.count("OUTPUT_FILE") == 0)
      words["OUTPUT_FILE"] = short_text(pinned, moment, named.path).value_or(named.path);
  if (!parts.skill.empty()) words["SKILL"] = parts.skill;
  if (moment.item != nullptr) {
    words["ITEM"] = words_of_item(*moment.phase, *moment.item);
    words["ITEM_NUMBER"] = std::to_string(moment.item_number);
    const RunItem* item = moment.state.items.find(moment.item_number);
    add_or_none(filled, "FINDINGS",
                item == nullptr || item->findings.is_null()
                    ? ""
                    : fenced("those who looked at the work", words_of(item->findings)));
  }
  if (!parts.answers.is_null())
    words["ANSWERS"] = fenced("the members of " + moment.phase->id, words_of(parts.answers));
}

// Who has which item, for those that have to know of each other.
std::string item_table(const Moment& moment) {
  std::string table;
  for (std::int64_t number = 1; number <= moment.state.items.size(); ++number) {
    const RunItem& item = *moment.state.items.find(number);
    if (item.status == RunItem::Status::replaced) continue;
    std::string holder;
    if (moment.holders != nullptr)
      if (const auto found = moment.holders->find(number); found != moment.holders->end()) holder = found->second;
    const auto tried = moment.state.tries.find(moment.phase->id + "/" + std::to_string(number));
    if (holder.empty() && tried != moment.state.tries.end()) holder = tried->second.member;
    const std::string who = item.status == RunItem::Status::passed ? "done" : holder.empty() ? "nobody yet" : holder;
    table +=
        fmt::format("{}{}. {}: {}", table.empty() ? "" : "\n", number, who, words_of_item(*moment.phase, item.item));
  }
  return table;
}

Result<std::string> around(const Pinned& pinned, const Moment& moment, const PromptParts& parts,
                           const std::string& prompt_template, PromptWords filled) {
  const Messages& messages = pinned.workflow.messages;
  const std::string& file = parts.first ? messages.first : messages.later;
  const Json preamble = messages.preamble.empty() ? Json() : value_at(moment.state.values, messages.preamble);
  const std::string whose = speaker_of_value(pinned, moment, messages.preamble);
  const std::string standing = whose.empty() ? words_of(preamble) : fenced(whose, words_of(preamble));
  const std::string& prompt = filled.words["PROMPT"];
  if (file.empty()) return !parts.first || is_nothing(preamble) ? prompt : standing + "\n\n" + prompt;
  filled.words["PREAMBLE"] = is_nothing(preamble) ? "" : standing;
  if (is_nothing(preamble)) filled.nothing.insert("PREAMBLE");
  add_or_none(filled, "CONTEXT", TRY(context(pinned, moment, parts, prompt_template)));
  add_or_none(filled, "SKILLS", join(moment.state.skills, ", "));
  return render_prompt(pinned.bundle.at(file), filled, {"PREAMBLE"});
}

}  // namespace

Json value_of(const Pinned& pinned, const Moment& moment, const Source& source) {
  const auto found = [&]() -> Json {
    const std::vector<std::string> named(1, source.name);
    switch (source.kind) {
      case Source::Kind::argument:
        return at_path(moment.state.args, named);
      case Source::Kind::flag:
        return at_path(moment.state.flags, named);
      case Source::Kind::value:
        return is_of_sections(pinned, source.name)
                   ? sections_concerning(pinned, moment, at_path(moment.state.values, named))
                   : at_path(moment.state.values, named);
      case Source::Kind::item:
        return moment.item == nullptr ? Json() : at_path(*moment.item, source.path);
      case Source::Kind::run:
        return run_fact(pinned, moment, source.name);
      case Source::Kind::loop: {
        const auto count = moment.state.loops.find(source.name);
        return count == moment.state.loops.end() ? 0 : count->second;
      }
      case Source::Kind::answer:
        break;
    }
    if (source.name == "answer" && moment.answer != nullptr) return at_path(*moment.answer, source.path);
    const auto answer = moment.state.answers.find(source.name);
    return answer == moment.state.answers.end() ? Json() : at_path(answer->second.value, source.path);
  };
  return where_it_holds(found(), source.where);
}

Json value_at(const Json& value, const std::string& path) { return at_path(value, steps_of(path)); }

bool only_holds(const Pinned& pinned, const Moment& moment, const Condition& only) {
  return std::all_of(only.begin(), only.end(), [&](const auto& side) {
    const auto source = parse_source(side.first);
    if (!source) return false;
    const Json value = value_of(pinned, moment, *source);
    if (!side.second.is_array()) return value == side.second;
    return std::find(side.second.begin(), side.second.end(), value) != side.second.end();
  });
}

Result<std::string> short_text(const Pinned& pinned, const Moment& moment, const std::string& text) {
  return render_text(text, [&](const Placeholder& placeholder) -> Result<std::string> {
    return words_of(value_of(pinned, moment, TRY(parse_source(placeholder.name))));
  });
}

Result<std::string> prompt_for(const Pinned& pinned, const Moment& moment, const PromptParts& parts) {
  const std::string& file = parts.template_file.empty() ? moment.phase->template_file : parts.template_file;
  if (std::string instead = instead_of_prompt(*moment.phase, parts); !instead.empty()) return instead;
  PromptWords words;
  TRY_VOID(add_inputs(pinned, moment, pinned.workflow.inputs, Use::prompt, words));
  TRY_VOID(add_inputs(pinned, moment, moment.phase->inputs, Use::prompt, words));
  add_given(pinned, moment, parts, words);
  const std::string& prompt_template = pinned.bundle.at(file);
  if (prompt_template.find("{{ITEMS}}") != std::string::npos) words.words["ITEMS"] = item_table(moment);
  words.words["PROMPT"] = TRY(render_prompt(prompt_template, words));
  if (!parts.skill.empty() && prompt_template.find("{{SKILL}}") == std::string::npos)
    words.words["PROMPT"] += fmt::format("\n\nWork by the skill {}: read it before you begin.", parts.skill);
  return before_prompt(pinned, moment, parts) + TRY(around(pinned, moment, parts, prompt_template, std::move(words))) +
         behind_prompt(parts);
}

bool shows_form(const Pinned& pinned, const std::string& step) {
  for (const auto& phase : pinned.workflow.phases) {
    if (phase.id != phase_of(step) || step == step_of(phase.id, kAdvice)) continue;
    const auto& file = step == step_of(phase.id, kMerge) ? phase.merge_template : phase.template_file;
    const auto text = pinned.bundle.find(file);
    return text != pinned.bundle.end() && text->second.find("```json") != std::string::npos;
  }
  return false;
}

Result<std::string> instructions_for(const Pinned& pinned, const RunState& state, const Role& role) {
  if (role.prompt.empty()) return std::string();
  const auto is_answer = [](const Source& source) { return source.kind == Source::Kind::answer; };
  Inputs early;
  for (const auto& [name, input] : pinned.workflow.inputs)
    if (input.by_sender.empty() && std::none_of(input.sources.begin(), input.sources.end(), is_answer))
      early.emplace(name, input);
  PromptWords words{.words = {{"RUN_ID", pinned.run}}};
  TRY_VOID(add_inputs(pinned, Moment{state}, early, Use::prompt, words));
  return render_prompt(pinned.bundle.at(role.prompt), words);
}

std::string marker_of(const Pinned& pinned, const Phase& phase) {
  const PromptWords words{
      .words = {{"PHASE_NUMBER", stage_of(phase)}, {"PHASE_NAME", phase.title}, {"RUN_ID", pinned.run}}};
  const auto marker = render_prompt(pinned.workflow.messages.marker, words);
  return marker ? *marker : std::string();
}

Result<WordMap> command_inputs(const Pinned& pinned, const Moment& moment, const Inputs& inputs) {
  PromptWords filled;
  TRY_VOID(add_inputs(pinned, moment, inputs, Use::plain, filled));
  return std::move(filled.words);
}

namespace {

// What did not go by itself: warnings, and the rungs that steps climbed. Empty when all did.
std::string troubles_of(const RunState& state) {
  std::string text;
  for (const auto& warning : state.warnings) text += fmt::format("- {}\n", warning.text);
  for (const auto& [step, rungs] : state.rungs) {
    std::vector<std::string> climbed;
    for (const auto& [rung, count] : rungs) climbed.push_back(fmt::format("{} {}×", rung, count));
    text += fmt::format("- {}: {}\n", step, join(climbed, ", "));
  }
  return text;
}

}  // namespace

std::string report_of(const Pinned& pinned, const RunState& state, const std::string& status,
                      const std::string& reason) {
  const std::string troubles = troubles_of(state);
  std::string behind = troubles.empty() ? "" : "\n\nWhat did not go by itself:\n" + troubles;
  const std::string plain = fmt::format("{}: {}{}{}", pinned.run, status, reason.empty() ? "" : ": ", reason);
  if (pinned.workflow.report.empty()) return plain + behind;
  PromptWords filled;
  const Moment moment{state};
  if (auto added = add_inputs(pinned, moment, pinned.workflow.report_inputs, Use::plain, filled); !added)
    return plain + "\n" + added.error().text();
  Json noted = Json::array();
  for (const auto& note : state.notes) noted.push_back(fmt::format("{}: {}", note.phase, dump_json(note.answer)));
  filled.words["STATUS"] = status;
  filled.words["REASON"] = reason;
  if (reason.empty()) filled.nothing.insert("REASON");
  add_or_none(filled, "NOTED", words_of(noted));
  filled.words["RUN_ID"] = pinned.run;
  auto text = render_prompt(pinned.bundle.at(pinned.workflow.report), filled, {"REASON"});
  return (text ? *text : plain + "\n" + text.error().text()) + behind;
}

std::string artifact_path(const Pinned& pinned, const RunState& state, const Phase& phase, std::int64_t sequence) {
  if (!pinned.workflow.ledger || sequence == 0) return {};
  const Ledger& ledger = *pinned.workflow.ledger;
  const auto directory = short_text(pinned, {state, &phase}, ledger.directory);
  const auto name = render_text(ledger.artifact, [&](const Placeholder& placeholder) -> Result<std::string> {
    if (placeholder.name == "id") return phase.id;
    return placeholder.name == "sequence" ? std::to_string(sequence) : stage_of(phase);
  });
  return directory && name ? *directory + "/" + *name : std::string();
}

}  // namespace teamster::workflow
