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

template <class List>
std::vector<std::string> names_of(const List& list) {
  std::vector<std::string> names;
  for (const auto& entry : list) names.push_back(entry.name);
  return names;
}

std::vector<std::string> phase_ids(const Workflow& workflow) {
  std::vector<std::string> ids;
  for (const auto& phase : workflow.phases) ids.push_back(phase.id);
  return ids;
}

void check_known(const Checking& checking, const Spot& spot, const std::string& what, const std::string& name,
                 const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  checking.problem(spot, fmt::format("there is no {} '{}'{}", what, name, suggestion(name, known)));
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
  check_condition(checking, spot, source.where.get<Condition>(), *entries);
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
    checking.problem(spot,
                     fmt::format("{}: an answer cannot be used here, only args, values and run", source_text(source)));
    return std::nullopt;
  }
  return check_path(checking, spot, source, checking.answers[*index].whole);
}

// Words of the author, or such that whoever gives them cannot put syntax of a shell into them.
bool is_plain(const Argument& argument) {
  if (!argument.choices.empty()) return std::all_of(argument.choices.begin(), argument.choices.end(), is_plain_word);
  return matches_plain_words_alone(argument.pattern);
}

// A setting is the user's own words.
bool is_plain(const Value& value) {
  if (value.kind == Value::Kind::config) return true;
  const bool is_captured = value.kind == Value::Kind::match || value.kind == Value::Kind::line;
  return is_captured && captures_plain_words_alone(value.pattern);
}

std::string advice_for(const Source& source, Allowed::Shell shell) {
  constexpr const char* kPattern = "give it a `pattern` of letters, digits and _-./,:@%+ alone";
  constexpr const char* kInputs = "pass it in `inputs` and write \"$NAME\"";
  if (source.kind != Source::Kind::argument)
    return shell == Allowed::Shell::with_inputs ? kInputs : "only values of `config` can be";
  return shell == Allowed::Shell::with_inputs ? fmt::format("{}, or {}", kPattern, kInputs) : kPattern;
}

template <class List>
void check_plain(const Checking& checking, const Spot& spot, const Source& source, const List& list,
                 Allowed::Shell shell) {
  if (shell == Allowed::Shell::none) return;
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const auto& entry) { return entry.name == source.name; });
  if (found == list.end() || is_plain(*found)) return;
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
    if (allowed.words.contains(placeholder.name)) continue;
    const auto source = parse_source(placeholder.name);
    if (!source)
      checking.problem(spot, source.error().what);
    else
      check_source(checking, spot, *source, allowed);
  }
}

// A test of a condition: one of every, any, none, count, changed_since, with what belongs to it.
void check_test(const Checking& checking, const Spot& spot, const std::string& field, const Json& test,
                const Shape& shape) {
  static const std::vector<std::string> kTests = {"every", "any", "none", "count", "changed_since"};
  std::string name;
  for (const auto& known : kTests)
    if (test.contains(known)) name = known;
  const bool is_count = name == "count";
  for (const auto& [key, value] : test.items()) {
    const bool is_bound = is_count && (key == "at_least" || key == "at_most");
    if (key != name && !is_bound)
      checking.problem(spot, fmt::format("'{}' is no test of '{}'{}", key, field, suggestion(key, kTests)));
    if (is_bound && !value.is_number_integer()) checking.problem(spot, fmt::format("`{}` is a number", key));
  }
  if (is_count && !test.contains("at_least") && !test.contains("at_most"))
    checking.problem(spot, "`count` needs `at_least` or `at_most`");
  if (name == "changed_since") {
    const Json& since = test.at(name);
    const std::string phase = since.is_string() ? since.get<std::string>() : "";
    const auto source = parse_source(phase.find('/') == std::string::npos ? phase + "/" + field : phase);
    if (!source || source->kind != Source::Kind::answer)
      return checking.problem(spot, "`changed_since` names a phase, or PHASE/FIELD");
    check_source(checking, spot, *source, {.answers = true});
    return;
  }
  if (name.empty()) return;
  const auto entry = shape.entries();
  if (!entry)
    return checking.problem(spot, fmt::format("`{}` asks the entries of a list, and '{}' is none", name, field));
  const Json& wanted = test.at(name);
  if (!wanted.is_object()) return;
  Condition inner;
  for (const auto& [key, value] : wanted.items()) inner[key] = value;
  check_condition(checking, spot, inner, *entry);
}

void check_condition(const Checking& checking, const Spot& spot, const Condition& condition, const Shape& answer) {
  for (const auto& [field, value] : condition) {
    Source path;
    if (auto parsed = parse_source("answer/" + field)) path = *std::move(parsed);
    const auto shape = answer.field(path.path);
    const Spot here = spot.at(field);
    if (path.path.empty() || !shape)
      checking.problem(here,
                       fmt::format("the answer has no field '{}'{}", field, suggestion(field, answer.field_names())));
    else if (value.is_object())
      check_test(checking, here, field, value, *shape);
    else if (!shape->can_be(value))
      checking.problem(
          here, fmt::format("the field '{}' can never be {}: its schema does not allow it", field, dump_json(value)));
  }
}

void check_spec(const Workflow& workflow, const Document& document, const Bundle& bundle, Problems& problems) {
  const Checking checking{workflow, document,       bundle,
                          problems, Flow(workflow), check_answers(workflow, document, bundle, problems)};
  check_flow(checking);
  check_frame(checking);
  check_phases(checking);
  check_prompts(checking);
}

}  // namespace teamster::workflow
