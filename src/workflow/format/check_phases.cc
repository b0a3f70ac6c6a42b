// What each phase refers to: roles, conditions, commands, questions.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "schema/schema.h"
#include "workflow/format/checking.h"
#include "workflow/format/entry.h"
#include "workflow/format/source.h"

namespace teamster::workflow {
namespace {

using Kind = Phase::Kind;

// Asked of a workflow with entries; that of another has been told.
void check_entry_value(const Checking& checking, const Spot& spot, const Json& value) {
  const auto known = entry_names(checking.workflow);
  if (known.empty() || (value.is_string() && find_entry(checking.workflow, value.get<std::string>()) != nullptr))
    return;
  const std::string typed = value.is_string() ? value.get<std::string>() : dump_json(value);
  checking.problem(spot, fmt::format("there is no entry '{}'{}", typed, suggestion(typed, known)));
}

// A switch is on or off; that of another name has been told.
void check_flag_value(const Checking& checking, const Spot& spot, const Source& source, const Json& value) {
  const auto& flags = checking.workflow.flags;
  const auto flag =
      std::find_if(flags.begin(), flags.end(), [&](const Flag& one) { return one.name() == source.name; });
  if (flag == flags.end()) return;
  if (flag->is_switch() && !value.is_boolean())
    return checking.problem(spot, fmt::format("the flag '{}' is a switch: write true or false", source.name));
  if (!flag->is_switch() && !value.is_string())
    return checking.problem(spot, fmt::format("the value of a flag is a text: write '{}'", dump_json(value)));
  const auto& choices = flag->value.choices;
  if (!choices.empty() && std::find(choices.begin(), choices.end(), value.get<std::string>()) == choices.end())
    checking.problem(spot, fmt::format("the flag '{}' can never be '{}'{}", source.name, value.get<std::string>(),
                                       suggestion(value.get<std::string>(), choices)));
}

void check_only_value(const Checking& checking, const Spot& spot, const Source& source, const Shape& shape,
                      const Json& value) {
  if (source.kind == Source::Kind::run && source.name == "entry") return check_entry_value(checking, spot, value);
  if (source.kind == Source::Kind::flag) return check_flag_value(checking, spot, source, value);
  if (source.kind != Source::Kind::argument) {
    if (!shape.can_be(value))
      checking.problem(
          spot, fmt::format("{} can never be {}: its schema does not allow it", source_text(source), dump_json(value)));
    return;
  }
  if (!value.is_string())
    return checking.problem(spot, fmt::format("an argument is a text: write '{}'", dump_json(value)));
  const auto& args = checking.workflow.args;
  const auto it = std::find_if(args.begin(), args.end(), [&](const Argument& one) { return one.name == source.name; });
  if (it == args.end() || it->choices.empty()) return;
  if (std::find(it->choices.begin(), it->choices.end(), value.get<std::string>()) == it->choices.end())
    checking.problem(spot, fmt::format("the argument '{}' can never be '{}'{}", source.name, value.get<std::string>(),
                                       suggestion(value.get<std::string>(), it->choices)));
}

void check_header(const Checking& checking, const Spot& spot, const std::string& header) {
  if (header.empty()) return;
  const std::string* text = find_file(spot, header, checking.document.file, checking.bundle, checking.problems);
  if (text == nullptr) return;
  const auto parsed = parse_json(*text, {.max_bytes = limits::kSchemaMaxBytes});
  if (!parsed) return checking.problems.add(header, {}, parsed.error().what);
  if (const auto compiled = schema::Schema::compile(*parsed); !compiled)
    checking.problems.add(header, {}, compiled.error().text());
}

// Fields of the answer that name files must be texts.
void check_named_files(const Checking& checking, const Spot& list, const std::vector<NamedFile>& files,
                       const Shape& answer, bool has_item) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    const NamedFile& named = files[i];
    const Spot spot = list.at(i);
    if (named.field.empty()) continue;  // which has been said
    const auto field = answer.field(named.field);
    if (!field)
      checking.problem(spot, fmt::format("the answer has no field '{}'{}", named.field,
                                         suggestion(named.field, answer.field_names())));
    else if (!field->can_be("a/path"))
      checking.problem(spot, fmt::format("the field '{}' is no text, so it can name no file", named.field));
    check_text(checking, spot.at("path"), named.path, {.answers = true, .item = has_item});
    check_inside(checking, spot.at("path"), named.path);
    check_header(checking, spot.at("header"), named.header);
  }
}

// What a coordinator hands in is checked as the answer of the phase.
void check_merge(const Checking& checking, std::size_t index) {
  const Phase& phase = checking.workflow.phases[index];
  const Spot spot = checking.phase(index).at("merge");
  check_role(checking, spot.at("role"), phase.merge, false);
  if (phase.merge.empty()) return;
  check_named_files(checking, spot.at("files"), phase.merge_files, checking.answers[index].whole, false);
  check_condition(checking, spot.at("pass"), phase.merge_pass, checking.answers[index].whole, index);
}

void check_ways_of(const Checking& checking, std::size_t index) {
  const Phase& phase = checking.workflow.phases[index];
  const Spot on = checking.phase(index).at("on");
  const Shape& answer = checking.answers[index].whole;
  for (std::size_t i = 0; i < phase.on.size(); ++i) {
    check_when(checking, on.at(i).at("when"), phase.on[i].when, index);
    const Spot reason = on.at(i).at(phase.on[i].end == Way::End::block ? "block" : "fail");
    check_text(checking, reason, phase.on[i].reason, {.loops = true, .answers = true, .this_answer = &answer});
  }
}

// `pass` and `when` of a check look at one answer; what came of all items is for the ways.
void check_one_answer(const Checking& checking, const Spot& spot, const Condition& condition, std::size_t index) {
  Condition asked = condition;
  if (checking.workflow.phases[index].items && asked.erase("items") != 0)
    checking.problem(spot.at("items"), "`items` are all items of the phase, and this looks at one: ask them in `on`");
  check_condition(checking, spot, asked, checking.answers[index].one, index);
}

// What `$output` stands for is a text.
Json with_output(Json value) {
  if (value == "$output") return "output";
  if (value.is_array() || value.is_object())
    for (auto& entry : value) entry = with_output(entry);
  return value;
}

// A field that is set, whatever its value looks like.
void check_field(const Checking& checking, const Spot& spot, const std::string& field, const Json& value,
                 const Shape& answer) {
  const auto path = parse_source("answer/" + field);
  const auto shape = path ? answer.field(path->path) : std::nullopt;
  if (!shape)
    checking.problem(spot.at(field),
                     fmt::format("the answer has no field '{}'{}", field, suggestion(field, answer.field_names())));
  else if (!shape->can_be(value))
    checking.problem(spot.at(field), fmt::format("the field '{}' can never be {}: its schema does not allow it", field,
                                                 dump_json(value)));
}

void check_proof(const Checking& checking, std::size_t index) {
  const Phase& phase = checking.workflow.phases[index];
  if (!phase.check) return;
  const bool is_proof = phase.kind != Kind::check && phase.kind != Kind::notify;
  const Spot spot = is_proof ? checking.phase(index).at("check") : checking.phase(index);
  const Shape& answer = checking.answers[index].one;
  // Words of an agent never become part of a command, in whatever run: they come in as its environment.
  check_text(checking, spot.at("command"), phase.check->command, {.loops = true, .shell = Allowed::Shell::with_inputs});
  check_input_sources(
      checking, spot.at("inputs"), phase.check->inputs,
      {.loops = true, .answers = true, .item = phase.items.has_value(), .this_answer = is_proof ? &answer : nullptr});
  if (!is_proof) return;
  check_one_answer(checking, spot.at("when"), phase.check->when, index);
  for (const auto& [field, value] : phase.check->then)
    check_field(checking, spot.at("then"), field, with_output(value), answer);
}

void check_question(const Checking& checking, std::size_t index) {
  const auto& question = checking.workflow.phases[index].question;
  if (!question) return;
  const Spot spot = checking.phase(index).at("question");
  const Allowed allowed{.loops = true, .answers = true};
  check_text(checking, spot.at("text"), question->text, allowed);
  check_text(checking, spot.at("to"), question->to, allowed);
  check_text(checking, spot.at("attach"), question->attach, allowed);
  for (std::size_t i = 0; i < question->options.size(); ++i)
    check_text(checking, spot.at("options").at(i), question->options[i], allowed);
  if (checking.workflow.phases[index].kind == Kind::gate && !question->options.empty())
    checking.problem(spot.at("options"), "a gate is answered with yes or no: `options` are for `ask`");
  if (checking.workflow.phases[index].sets_people && !question->options.empty())
    checking.problem(spot.at("options"), "the answer says who the people are: leave `options` out, or `sets`");
}

void check_commit(const Checking& checking, std::size_t index) {
  const auto& commit = checking.workflow.phases[index].commit;
  if (!commit) return;
  const Spot spot = checking.phase(index);
  for (std::size_t i = 0; i < commit->paths.size(); ++i) {
    check_text(checking, spot.at("paths").at(i), commit->paths[i], {});
    check_inside(checking, spot.at("paths").at(i), commit->paths[i]);
  }
  check_text(checking, spot.at("message"), commit->message, {.loops = true, .answers = true});
  check_text(checking, spot.at("tag"), commit->tag, {});
  check_text(checking, spot.at("last_tag"), commit->last_tag, {});
  for (const auto& [key, tag] : {std::pair{"tag", &commit->tag}, std::pair{"last_tag", &commit->last_tag}})
    if (std::count(tag->begin(), tag->end(), '*') > 1)
      checking.problem(spot.at(key), "a tag has one '*', where the next number goes");
  if (!commit->last_tag.empty() && !checking.workflow.series)
    checking.problem(spot.at("last_tag"), "`last_tag` needs a `series`: without one nothing is the last");
}

void check_team(const Checking& checking, std::size_t index) {
  const Team& team = checking.workflow.phases[index].team;
  const Spot spot = checking.phase(index).at("team");
  check_text(checking, spot.at("name"), team.name, {.item = team.scope == Team::Scope::item});
  check_text(checking, spot.at("otherwise"), team.otherwise, {});
  check_sides(checking, spot.at("only"), team.only, index);
  if (team.scope == Team::Scope::run)
    checking.problem(spot.at("scope"),
                     "the team of a phase has scope phase or item: one for the run stands at the top");
  const Phase& phase = checking.workflow.phases[index];
  if (team.scope != Team::Scope::item) return;
  if (!phase.items) checking.problem(spot, "a team for each item needs `items`");
}

// Empty when the answer of some phase can be so. Otherwise why none can, as far as a phase has the field.
std::string why_it_never_holds(const Checking& checking, const Spot& spot, const std::string& field,
                               const Json& value) {
  std::string why = "no answer has it";
  for (std::size_t phase = 0; phase < checking.answers.size(); ++phase) {
    Problems wrong;
    const Checking trial{checking.workflow, checking.document, checking.bundle, wrong, checking.flow, checking.answers};
    check_when(trial, spot, {{field, value}}, phase);
    if (wrong.empty()) return "";
    if (checking.answers[phase].whole.field(field)) why = wrong.sorted().front().what;
  }
  return why;
}

// Answers that are faults: some answer must have the fields that they ask for.
void check_troubles(const Checking& checking) {
  const auto& troubles = checking.workflow.trouble;
  const Shape anything = Shape::anything();
  for (std::size_t i = 0; i < troubles.size(); ++i) {
    const Spot spot = checking.root().at("trouble").at(i);
    for (const auto& [field, value] : troubles[i].when) {
      const std::string why = why_it_never_holds(checking, spot, field, value);
      if (!why.empty())
        checking.problem(spot.at("when").at(field), fmt::format("no phase has such an answer: {}", why));
    }
    check_text(checking, spot.at("why"), troubles[i].why, {.loops = true, .answers = true, .this_answer = &anything});
  }
}

// Ways for every phase: some answer must have the fields that they ask for.
void check_always(const Checking& checking) {
  const auto& ways = checking.workflow.always;
  const Shape anything = Shape::anything();
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const Spot spot = checking.root().at("always").at(i);
    for (const auto& [field, value] : ways[i].when) {
      const std::string why = why_it_never_holds(checking, spot, field, value);
      if (why.empty()) continue;
      checking.problem(spot.at("when").at(field),
                       value.is_object()
                           ? fmt::format("no phase has an answer whose field '{}' can be tested so: {}", field, why)
                           : fmt::format("no phase has an answer whose field '{}' can be {}", field, dump_json(value)));
    }
    check_text(checking, spot.at(ways[i].end == Way::End::block ? "block" : "fail"), ways[i].reason,
               {.loops = true, .answers = true, .this_answer = &anything});
  }
}

}  // namespace

void check_sides(const Checking& checking, const Spot& spot, const Condition& only, std::optional<std::size_t> phase) {
  for (const auto& [side, value] : only) {
    const Spot here = spot.at(side);
    const auto source = parse_source(side);
    if (!source || source->kind == Source::Kind::item || source->kind == Source::Kind::loop) {
      checking.problem(
          here, fmt::format("'{}' cannot be asked here: expected args/NAME, flags/NAME, values/NAME, run/FACT or "
                            "PHASE/FIELD",
                            side));
      continue;
    }
    const auto shape = check_source(checking, here, *source, {.answers = phase.has_value()});
    if (!shape) continue;
    const auto asked = source->kind == Source::Kind::answer ? checking.flow.index_of(source->name) : std::nullopt;
    if (asked && !checking.flow.reaches(*asked, *phase))
      checking.problem(here, fmt::format("the phase '{}' cannot have run before this one", source->name));
    if (value.is_object()) continue;  // that no test can stand here has been said
    if (value.is_array() && value.empty())
      checking.problem(here, "the list is empty, so this never holds: name what it may be");
    for (const auto& one : value.is_array() ? value : Json::array({value}))
      check_only_value(checking, here, *source, *shape, one);
  }
}

void check_role(const Checking& checking, const Spot& spot, const std::string& name, bool is_native) {
  if (name.empty()) return;
  const auto it = checking.workflow.roles.find(name);
  if (it == checking.workflow.roles.end()) {
    std::vector<std::string> known;
    for (const auto& [other, role] : checking.workflow.roles) known.push_back(other);
    return checking.problem(spot, fmt::format("there is no role '{}'{}", name, suggestion(name, known)));
  }
  if (it->second.is_native && !is_native)
    checking.problem(spot, fmt::format("the role '{}' is native: it answers no prompts", name));
  if (!it->second.is_native && is_native)
    checking.problem(spot, fmt::format("the role '{}' is an agent: a question needs a native role, or none", name));
}

void check_phases(const Checking& checking) {
  check_always(checking);
  check_troubles(checking);
  const auto& phases = checking.workflow.phases;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const Phase& phase = phases[i];
    const Spot spot = checking.phase(i);
    check_role(checking, spot.at("role"), phase.role, phase.kind == Kind::ask || phase.kind == Kind::gate);
    for (std::size_t k = 0; k < phase.roles.size(); ++k)
      check_role(checking, spot.at("roles").at(k), phase.roles[k], false);
    check_sides(checking, spot.at("only"), phase.only, i);
    check_named_files(checking, spot.at("files"), phase.files, checking.answers[i].one, phase.items.has_value());
    check_merge(checking, i);
    check_one_answer(checking, spot.at("pass"), phase.pass, i);
    check_ways_of(checking, i);
    check_proof(checking, i);
    check_question(checking, i);
    check_commit(checking, i);
    check_team(checking, i);
    check_text(checking, spot.at("text"), phase.text, {.loops = true, .answers = true});
    check_text(checking, spot.at("to"), phase.to, {.loops = true, .answers = true});
    for (const auto& [name, text] : phase.with)
      check_text(checking, spot.at("with").at(name), text,
                 {.loops = true, .answers = true, .item = phase.items.has_value()});
  }
}

}  // namespace teamster::workflow
