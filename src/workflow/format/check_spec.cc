#include "workflow/format/check_spec.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "workflow/format/checking.h"
#include "workflow/format/plain_words.h"
#include "workflow/format/source.h"

namespace teamster::workflow {
namespace {

const std::string& name_of(const Argument& argument) { return argument.name; }
const std::string& name_of(const Value& value) { return value.name; }
const std::string& name_of(const Flag& flag) { return flag.name(); }

template <class List>
std::vector<std::string> names_of(const List& list) {
  std::vector<std::string> names;
  for (const auto& entry : list) names.push_back(name_of(entry));
  return names;
}

void check_known(const Checking& checking, const Spot& spot, const std::string& what, const std::string& name,
                 const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  checking.problem(spot, fmt::format("there is no {} '{}'{}", what, name, suggestion(name, known)));
}

// Without tests where none can stand, which has been said when they were read.
Condition plain_values(const Json& wanted) {
  Condition condition;
  for (const auto& [field, value] : wanted.items())
    if (!value.is_object()) condition[field] = value;
  return condition;
}

// The shape of an answer's field, narrowed to the entries that `where` keeps.
std::optional<Shape> check_path(const Checking& checking, const Spot& spot, const Source& source, const Shape& whole) {
  auto shape = whole.field(source.path);
  if (!shape) {
    const auto names = whole.field_names();
    checking.problem(spot, fmt::format("{}: the answer has no such field{}", source_text(source),
                                       source.path.size() == 1 ? suggestion(source.path[0], names) : ""));
    return std::nullopt;
  }
  if (source.where.is_null()) return shape;
  const auto entries = shape->entries();
  if (!entries) {
    checking.problem(spot, fmt::format("`where` needs a list, and {} is none", source_text(source)));
    return std::nullopt;
  }
  check_condition(checking, spot, plain_values(source.where), *entries);
  return shape;
}

std::optional<Shape> check_answer_source(const Checking& checking, const Spot& spot, const Source& source,
                                         const Allowed& allowed) {
  if (source.name == kThisAnswer && allowed.this_answer != nullptr)
    return check_path(checking, spot, source, *allowed.this_answer);
  const auto index = checking.flow.index_of(source.name);
  if (!index) {
    checking.problem(spot, fmt::format("{}: there is no phase '{}'{}", source_text(source), source.name,
                                       suggestion(source.name, phase_ids(checking.workflow))));
    return std::nullopt;
  }
  if (!allowed.answers) {
    checking.problem(
        spot, fmt::format("{}: an answer cannot be used here, only args, flags, values and run", source_text(source)));
    return std::nullopt;
  }
  return check_path(checking, spot, source, checking.answers[*index].whole);
}

// Words of the author, or such that whoever gives them cannot put syntax of a shell into them.
bool holds_plain_words(const Argument& argument) {
  if (!argument.choices.empty()) return std::all_of(argument.choices.begin(), argument.choices.end(), is_plain_word);
  return matches_plain_words_alone(argument.pattern);
}

bool holds_plain_words(const Flag& flag) { return flag.is_switch() || holds_plain_words(flag.value); }

// A setting is the user's own words, and so is the environment.
bool holds_plain_words(const Value& value) {
  if (value.kind == Value::Kind::config || value.kind == Value::Kind::env) return true;
  const bool is_captured = value.kind == Value::Kind::match || value.kind == Value::Kind::line;
  return is_captured && captures_plain_words_alone(value.pattern);
}

std::string advice_for(const Source& source, Allowed::Shell shell) {
  constexpr const char* kPattern = "give it a `pattern` of letters, digits and _-./,:@%+ alone";
  constexpr const char* kInputs = "pass it in `inputs` and write \"$NAME\"";
  if (source.kind != Source::Kind::argument && source.kind != Source::Kind::flag)
    return shell == Allowed::Shell::with_inputs ? kInputs : "only values of `config` can be";
  return shell == Allowed::Shell::with_inputs ? fmt::format("{}, or {}", kPattern, kInputs) : kPattern;
}

template <class List>
void check_plain(const Checking& checking, const Spot& spot, const Source& source, const List& list,
                 Allowed::Shell shell) {
  if (shell == Allowed::Shell::none) return;
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const auto& entry) { return name_of(entry) == source.name; });
  if (found == list.end() || holds_plain_words(*found)) return;
  checking.problem(spot, fmt::format("{} can hold syntax of a shell, so it cannot be part of a command: {}",
                                     source_text(source), advice_for(source, shell)));
}

void check_value_source(const Checking& checking, const Spot& spot, const Source& source, const Allowed& allowed) {
  const auto names = names_of(checking.workflow.values);
  const auto it = std::find(names.begin(), names.end(), source.name);
  if (it == names.end()) return check_known(checking, spot, "value", source.name, names);
  if (static_cast<std::size_t>(it - names.begin()) >= allowed.values_before)
    checking.problem(spot, fmt::format("the value '{}' is found later than this one: put it before", source.name));
}

struct Test {
  const std::string& field;
  const Json& test;  // of the form that read_condition promises, or else there is a problem already
  const Shape& shape;
  std::optional<std::size_t> phase;
};

// Compares with what another phase answered, and that must have been before.
void check_since(const Checking& checking, const Spot& spot, const Test& test, const std::string& since) {
  const auto source = parse_source(since.find('/') == std::string::npos ? since + "/" + test.field : since);
  if (!source || source->kind != Source::Kind::answer) return;
  if (!check_source(checking, spot, *source, {.answers = true}) || !test.phase) return;
  const auto from = checking.flow.index_of(source->name);
  if (from == test.phase)
    checking.problem(spot, fmt::format("'{}' is this phase, and its answer is always the latest: name an earlier one",
                                       source->name));
  else if (from && !checking.flow.reaches(*from, *test.phase))
    checking.problem(spot, fmt::format("the phase '{}' cannot have run before this one", source->name));
}

void check_test(const Checking& checking, const Spot& spot, const Test& test) {
  for (const char* name : {"every", "any", "none", "count"}) {
    if (!test.test.contains(name)) continue;
    const auto entry = test.shape.entries();
    if (!entry)
      return checking.problem(spot, fmt::format("`{}` asks the entries of a list, and '{}' is none", name, test.field));
    const Json& wanted = test.test.at(name);
    if (wanted.is_object()) return check_condition(checking, spot.at(name), plain_values(wanted), *entry);
    if (!entry->can_be(wanted))
      checking.problem(spot.at(name), fmt::format("an entry of '{}' can never be {}: its schema does not allow it",
                                                  test.field, dump_json(wanted)));
    return;
  }
  if (test.test.contains("changed_since") && test.test.at("changed_since").is_string())
    check_since(checking, spot.at("changed_since"), test, test.test.at("changed_since").get<std::string>());
}

}  // namespace

Spot Spot::at(std::string_view key) const {
  Spot spot = *this;
  if (node_ == nullptr) return spot;
  spot.node_ = node_->find(key);
  if (spot.node_ == nullptr) return spot;
  const auto index = static_cast<std::size_t>(spot.node_ - node_->items.data());
  const bool is_value = spot.node_->kind == Node::Kind::scalar;
  spot.place_ = is_value ? spot.node_->place : node_->keys[index].place;
  return spot;
}

Spot Spot::at(std::size_t index) const {
  Spot spot = *this;
  if (node_ == nullptr) return spot;
  spot.node_ = node_->kind == Node::Kind::list && index < node_->items.size() ? &node_->items[index] : nullptr;
  if (spot.node_ != nullptr) spot.place_ = spot.node_->place;
  return spot;
}

std::vector<std::string> phase_ids(const Workflow& workflow) {
  std::vector<std::string> ids;
  for (const auto& phase : workflow.phases) ids.push_back(phase.id);
  return ids;
}

std::string suggestion(std::string_view typed, const std::vector<std::string>& known) {
  const auto meant = closest(typed, known);
  if (meant) return fmt::format(", did you mean '{}'?", *meant);
  if (known.empty()) return "";
  const std::size_t shown = std::min<std::size_t>(known.size(), 12);
  const std::vector<std::string> some(known.begin(), known.begin() + static_cast<std::ptrdiff_t>(shown));
  return fmt::format(", expected one of {}{}", join(some, ", "), shown < known.size() ? ", …" : "");
}

std::optional<Shape> check_source(const Checking& checking, const Spot& spot, const Source& source,
                                  const Allowed& allowed) {
  const Workflow& workflow = checking.workflow;
  switch (source.kind) {
    case Source::Kind::argument:
      check_known(checking, spot, "argument", source.name, names_of(workflow.args));
      check_plain(checking, spot, source, workflow.args, allowed.shell);
      break;
    case Source::Kind::flag:
      check_known(checking, spot, "flag", source.name, names_of(workflow.flags));
      check_plain(checking, spot, source, workflow.flags, allowed.shell);
      break;
    case Source::Kind::value:
      check_value_source(checking, spot, source, allowed);
      check_plain(checking, spot, source, workflow.values, allowed.shell);
      break;
    case Source::Kind::loop: {
      std::vector<std::string> loops;
      for (const auto& [name, loop] : workflow.loops) loops.push_back(name);
      check_known(checking, spot, "loop", source.name, loops);
      if (!allowed.loops) checking.problem(spot, fmt::format("{} cannot be used here", source_text(source)));
      break;
    }
    case Source::Kind::run:
      check_known(checking, spot, "fact of the run", source.name, run_facts());
      if (source.name == "entry" && workflow.entries.empty())
        checking.problem(spot, "run/entry: the workflow has no `entries`");
      break;
    case Source::Kind::item:
      if (!allowed.item)
        checking.problem(spot,
                         fmt::format("{}: there are items only in phases that have `items`", source_text(source)));
      break;
    case Source::Kind::answer:
      return check_answer_source(checking, spot, source, allowed);
  }
  if (!source.where.is_null() && source.kind != Source::Kind::item)
    checking.problem(spot, fmt::format("`where` needs a list of an answer, and {} is none", source_text(source)));
  return Shape::anything();
}

void check_text(const Checking& checking, const Spot& spot, const std::string& text, const Allowed& allowed) {
  // The places inside a scalar of YAML are not known: indentation and escapes are gone.
  Problems malformed;
  const Template parsed = Template::parse("", text, malformed);
  for (const auto& problem : malformed.sorted()) checking.problem(spot, problem.what);
  for (const auto& placeholder : parsed.placeholders()) {
    if (placeholder.kind != Placeholder::Kind::value) {
      checking.problem(spot,
                       fmt::format("a part that can be left out ({{{{#{}}}}}) belongs into the file of a template",
                                   placeholder.name));
      continue;
    }
    if (allowed.words.contains(placeholder.name)) continue;
    const auto source = parse_source(placeholder.name);
    if (!source)
      checking.problem(spot, source.error().what);
    else
      check_source(checking, spot, *source, allowed);
  }
}

void check_condition(const Checking& checking, const Spot& spot, const Condition& condition, const Shape& answer,
                     std::optional<std::size_t> phase) {
  for (const auto& [field, value] : condition) {
    Source path;
    if (auto parsed = parse_source("answer/" + field)) path = *std::move(parsed);
    const auto shape = answer.field(path.path);
    const Spot here = spot.at(field);
    if (path.path.empty() || !shape)
      checking.problem(here,
                       fmt::format("the answer has no field '{}'{}", field, suggestion(field, answer.field_names())));
    else if (value.is_object())
      check_test(checking, here, {field, value, *shape, phase});
    else if (!shape->can_be(value))
      checking.problem(
          here, fmt::format("the field '{}' can never be {}: its schema does not allow it", field, dump_json(value)));
  }
}

void check_when(const Checking& checking, const Spot& spot, const Condition& when, std::size_t phase) {
  Condition asked = when;
  if (const auto items = asked.find("items"); items != asked.end() && checking.answers[phase].items) {
    if (items->second.is_object())
      check_test(checking, spot.at("items"), {"items", items->second, *checking.answers[phase].items, phase});
    else
      checking.problem(spot.at("items"),
                       "`items` are what came of all items: write a test, such as { every: { passed: true } }");
    asked.erase(items);
  }
  check_condition(checking, spot, asked, checking.answers[phase].whole, phase);
}

void check_spec(const Workflow& workflow, const Document& document, const Bundle& bundle, Problems& problems) {
  const Flow flow(workflow);
  const auto answers = check_answers(workflow, document, bundle, problems);
  const Checking checking{workflow, document, bundle, problems, flow, answers};
  check_flow(checking);
  check_entries(checking);
  check_frame(checking);
  check_phases(checking);
  check_items(checking);
  check_refusals(checking);
  check_ladders(checking);
  check_prompts(checking);
}

}  // namespace teamster::workflow
