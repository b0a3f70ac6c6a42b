// What each phase refers to: roles, conditions, items, commands, questions.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "workflow/format/checking.h"
#include "workflow/format/source.h"

namespace teamster::workflow {
namespace {

using Kind = Phase::Kind;

// `is_native`: whether it has to be a part of the engine, or must not be.
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

void check_only_value(const Checking& checking, const Spot& spot, const Source& source, const Shape& shape,
                      const Json& value) {
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

// Fields of the answer that name files must be texts.
void check_named_files(const Checking& checking, std::size_t index) {
  const Phase& phase = checking.workflow.phases[index];
  const Shape& answer = checking.answers[index].one;
  for (std::size_t i = 0; i < phase.files.size(); ++i) {
    const Spot spot = checking.phase(index).at("files").at(i);
    const auto field = answer.field(phase.files[i]);
    if (!field)
      checking.problem(spot, fmt::format("the answer has no field '{}'{}", phase.files[i],
                                         suggestion(phase.files[i], answer.field_names())));
    else if (!field->can_be("a/path"))
      checking.problem(spot, fmt::format("the field '{}' is no text, so it can name no file", phase.files[i]));
  }
}

void check_ways_of(const Checking& checking, std::size_t index) {
  const Phase& phase = checking.workflow.phases[index];
  const Spot on = checking.phase(index).at("on");
  const Shape& answer = checking.answers[index].whole;
  for (std::size_t i = 0; i < phase.on.size(); ++i) {
    Condition when = phase.on[i].when;
    if (const auto asked = when.find("items"); asked != when.end() && checking.answers[index].items) {
      check_test(checking, on.at(i).at("when").at("items"), "items", asked->second, *checking.answers[index].items);
      when.erase(asked);
    }
    check_condition(checking, on.at(i).at("when"), when, answer);
    const Spot reason = on.at(i).at(phase.on[i].end == Way::End::block ? "block" : "fail");
    check_text(checking, reason, phase.on[i].reason, {.loops = true, .answers = true, .this_answer = &answer});
  }
}

// What `$output` stands for is a text.
Json with_output(const Json& value) {
  if (value == "$output") return "output";
  if (!value.is_array()) return value;
  Json list = Json::array();
  for (const auto& entry : value) list.push_back(with_output(entry));
  return list;
}

void check_proof(const Checking& checking, std::size_t index) {
  const Phase& phase = checking.workflow.phases[index];
  if (!phase.check) return;
  const bool is_proof = phase.kind != Kind::check && phase.kind != Kind::notify;
  const Spot spot = is_proof ? checking.phase(index).at("check") : checking.phase(index);
  const Shape& answer = checking.answers[index].one;
  // Words of an agent never become part of a command, in whatever run: they come in as its environment.
  check_text(checking, spot.at("command"), phase.check->command, {.loops = true, .shell = Allowed::Shell::with_inputs});
  check_input_sources(checking, spot.at("inputs"), phase.check->inputs,
                      {.loops = true, .answers = true, .this_answer = is_proof ? &answer : nullptr});
  if (!is_proof) return;
  check_condition(checking, spot.at("when"), phase.check->when, answer);
  Condition then;
  for (const auto& [field, value] : phase.check->then) then[field] = with_output(value);
  check_condition(checking, spot.at("then"), then, answer);
}

// What a person refuses is refused: a gate has a way for it, and no loop on that way lets the run pass.
void check_refusal(const Checking& checking, std::size_t index) {
  const Phase& phase = checking.workflow.phases[index];
  if (phase.kind != Kind::gate) return;
  const Condition refused{{"approved", false}};
  const auto leads_on = [&](const std::vector<Way>& ways) {
    return std::any_of(ways.begin(), ways.end(),
                       [&](const Way& way) { return way.when.empty() || way.when == refused; });
  };
  if (!leads_on(phase.on) && !leads_on(checking.workflow.always))
    checking.problem(checking.phase(index).at("id"),
                     fmt::format("the gate '{}' has no way for 'not approved': write on: [ {{ when: {{ approved: false "
                                 "}}, goto: PHASE, loop: LOOP }} ], or block: REASON",
                                 phase.id));
  for (std::size_t i = 0; i < phase.on.size(); ++i) {
    const auto loop = checking.workflow.loops.find(phase.on[i].loop);
    if (loop != checking.workflow.loops.end() && loop->second.then == Loop::Then::accept)
      checking.problem(checking.phase(index).at("on").at(i).at("loop"),
                       fmt::format("the loop '{}' ends with `accept`, and nobody accepts for the person who refused: "
                                   "write `then: escalate`, `block` or a `goto`",
                                   loop->first));
  }
}

// What a failed check leads to is said: without a way the run would go on as if it had passed.
void check_failure(const Checking& checking, std::size_t index) {
  const Phase& phase = checking.workflow.phases[index];
  if (phase.kind != Kind::check) return;
  const Condition failed{{"passed", false}};
  const auto leads_on = [&](const std::vector<Way>& ways) {
    return std::any_of(ways.begin(), ways.end(),
                       [&](const Way& way) { return way.when.empty() || way.when == failed; });
  };
  if (leads_on(phase.on) || leads_on(checking.workflow.always)) return;
  checking.problem(
      checking.phase(index).at("id"),
      fmt::format("the check '{}' has no way for failure: write on: [ {{ when: {{ passed: false }}, block: "
                  "REASON }} ], or goto",
                  phase.id));
}

// What sends items back comes from a phase behind this one, and names them.
void check_findings(const Checking& checking, std::size_t index) {
  const Items& items = *checking.workflow.phases[index].items;
  if (!items.findings) return;
  const Spot spot = checking.phase(index).at("items").at("findings");
  const auto shape = check_source(checking, spot.at("from"), *items.findings, {.answers = true});
  if (!shape) return;
  const auto entry = shape->entries();
  if (!entry)
    checking.problem(spot.at("from"),
                     fmt::format("findings need a list, and {} is none", source_text(*items.findings)));
  else if (!entry->field(items.finding_item))
    checking.problem(spot.at("item"), fmt::format("the findings have no field '{}'{}", items.finding_item,
                                                  suggestion(items.finding_item, entry->field_names())));
}

void check_items(const Checking& checking, std::size_t index) {
  const Phase& phase = checking.workflow.phases[index];
  if (!phase.items) return;
  const Spot spot = checking.phase(index).at("items");
  check_findings(checking, index);
  check_text(checking, spot.at("checklist"), phase.items->checklist, {});
  if (!phase.items->source) return;
  const Source& source = *phase.items->source;
  const auto shape = check_source(checking, spot.at("from"), source, {.answers = true});
  if (shape && !shape->entries())
    checking.problem(spot.at("from"), fmt::format("items need a list, and {} is none", source_text(source)));
  const auto from = source.kind == Source::Kind::answer ? checking.flow.index_of(source.name) : std::nullopt;
  if (from && !checking.flow.reaches(*from, index))
    checking.problem(spot.at("from"), fmt::format("the phase '{}' cannot have run before this one", source.name));
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
}

void check_commit(const Checking& checking, std::size_t index) {
  const auto& commit = checking.workflow.phases[index].commit;
  if (!commit) return;
  const Spot spot = checking.phase(index);
  for (std::size_t i = 0; i < commit->paths.size(); ++i)
    check_text(checking, spot.at("paths").at(i), commit->paths[i], {});
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
  check_sides(checking, spot.at("only"), team.only, index);
  if (team.scope == Team::Scope::run)
    checking.problem(spot.at("scope"),
                     "the team of a phase has scope phase or item: one for the run stands at the top");
  const Phase& phase = checking.workflow.phases[index];
  if (team.scope != Team::Scope::item) return;
  if (!phase.items) checking.problem(spot, "a team for each item needs `items`");
}

// Ways for every phase: some answer must have the fields that they ask for.
void check_always(const Checking& checking) {
  const auto& ways = checking.workflow.always;
  const Shape anything = Shape::anything();
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const Spot spot = checking.root().at("always").at(i);
    for (const auto& [field, value] : ways[i].when) {
      const Condition one{{field, value}};
      const bool can_hold =
          std::any_of(checking.answers.begin(), checking.answers.end(), [&](const AnswerShape& answer) {
            Problems wrong;
            const Checking trial{checking.workflow, checking.document, checking.bundle, wrong, checking.flow, {}};
            check_condition(trial, spot, one, answer.whole);
            return wrong.empty();
          });
      if (!can_hold)
        checking.problem(spot.at("when").at(field),
                         fmt::format("no phase has an answer whose field '{}' can be {}", field, dump_json(value)));
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
      checking.problem(here, fmt::format("'{}' cannot be asked here: expected args/NAME, values/NAME, run/FACT or "
                                         "PHASE/FIELD",
                                         side));
      continue;
    }
    const auto shape = check_source(checking, here, *source, {.answers = phase.has_value()});
    if (!shape) continue;
    const auto asked = source->kind == Source::Kind::answer ? checking.flow.index_of(source->name) : std::nullopt;
    if (asked && !checking.flow.reaches(*asked, *phase))
      checking.problem(here, fmt::format("the phase '{}' cannot have run before this one", source->name));
    for (const auto& one : value.is_array() ? value : Json::array({value}))
      check_only_value(checking, here, *source, *shape, one);
  }
}

void check_ladder(const Checking& checking, const Spot& spot, const Ladder& ladder) {
  if (ladder.advisor) check_role(checking, spot.at("advisor"), *ladder.advisor, false);
}

void check_phases(const Checking& checking) {
  check_always(checking);
  check_ladder(checking, checking.root().at("ladder"), checking.workflow.ladder);
  for (const auto& [name, role] : checking.workflow.roles)
    check_ladder(checking, checking.root().at("roles").at(name).at("ladder"), role.ladder);
  const auto& phases = checking.workflow.phases;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const Phase& phase = phases[i];
    const Spot spot = checking.phase(i);
    check_role(checking, spot.at("role"), phase.role, phase.kind == Kind::ask || phase.kind == Kind::gate);
    check_role(checking, spot.at("merge").at("role"), phase.merge, false);
    for (std::size_t k = 0; k < phase.roles.size(); ++k)
      check_role(checking, spot.at("roles").at(k), phase.roles[k], false);
    check_sides(checking, spot.at("only"), phase.only, i);
    check_named_files(checking, i);
    check_condition(checking, spot.at("pass"), phase.pass, checking.answers[i].one);
    check_ladder(checking, spot.at("ladder"), phase.ladder);
    check_ways_of(checking, i);
    check_proof(checking, i);
    check_failure(checking, i);
    check_refusal(checking, i);
    check_items(checking, i);
    check_question(checking, i);
    check_commit(checking, i);
    check_team(checking, i);
    check_text(checking, spot.at("text"), phase.text, {.loops = true, .answers = true});
    for (const auto& [name, text] : phase.with)
      check_text(checking, spot.at("with").at(name), text,
                 {.loops = true, .answers = true, .item = phase.items.has_value()});
  }
}

}  // namespace teamster::workflow
