#include "workflow/core/run_state.h"

#include <fmt/format.h>

#include "base/limits.h"

namespace teamster::workflow {

// In the namespaces of the types, where the JSON library looks for them. Absent fields keep their
// defaults: a snapshot of an older program can be read.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(RunMember, role, team, has_preamble, temporary, missed, conversation);
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(RunAnswer, value, sequence);
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(RunTries, retries, mends, fresh, waits, waited_ms, role, member,
                                                temporary, why, lost, owner_knows);
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(RunUsage, turns, tokens, usd);
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(RunDirective, step, question, answer, by, is_for_all);

void to_json(Json& json, const RunCommand& command) {
  json = {{"kind", command.kind()}, {"step", command.step}, {"attempt", command.attempt}};
  json["body"] = fields_of(command.body);
}

void from_json(const Json& json, RunCommand& command) {
  command.step = json.value("step", "");
  command.attempt = json.value("attempt", std::int64_t{0});
  command.body = read_command_body(json.value("kind", ""), json.value("body", Json::object()));
}

namespace command {

void to_json(Json& json, const Note& note) { json = fields_of(note); }
void from_json(const Json& json, Note& note) { note = std::get<Note>(read_command_body(Note::kKind, json)); }

void to_json(Json& json, const Warn& warning) { json = fields_of(warning); }
void from_json(const Json& json, Warn& warning) { warning = std::get<Warn>(read_command_body(Warn::kKind, json)); }

void to_json(Json& json, const Reply& reply) { json = fields_of(reply); }
void from_json(const Json& json, Reply& reply) { reply = std::get<Reply>(read_command_body(Reply::kKind, json)); }

// As the turn of a pause, whose codec it has.
void to_json(Json& json, const PostponedTurn& turn) { json = fields_of(Pause{.turn = turn}).at("turn"); }
void from_json(const Json& json, PostponedTurn& turn) {
  turn = std::get<Pause>(read_command_body(Pause::kKind, {{"turn", json}})).turn;
}

}  // namespace command

void to_json(Json& json, const RunItems& items) { json = items.json(); }
void from_json(const Json& json, RunItems& items) { items = RunItems::from_json(json); }

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(RunState, status, reason, ending, ending_reason, configuration, budget,
                                                entry, args, flags, values, skills, people, told, foreign, start_phase,
                                                phase, stage, sender, loops, attempts, answers, next_sequence, notes,
                                                members, teams, open, phase_team, items, gathered, tries, usage,
                                                worked_ms, raised, earlier, questions, paused, item_teams, run_team,
                                                started_s, temporary, warnings, rungs, replied, escalated, entered,
                                                directives, boxes, ticked, ticked_by_others, ticked_before,
                                                answer_order, answered);

std::string phase_of(const std::string& step) { return step.substr(0, step.find('/')); }

std::int64_t number_of_item(const std::string& step) {
  const std::size_t slash = step.find('/');
  if (slash == std::string::npos || slash + 1 == step.size()) return 0;
  std::int64_t number = 0;
  for (std::size_t at = slash + 1; at < step.size(); ++at) {
    if (step[at] < '0' || step[at] > '9' || number > limits::kItemsMax) return 0;
    number = number * 10 + (step[at] - '0');
  }
  return number;
}

std::int64_t item_in(const std::string& step) {
  const std::size_t slash = step.find('/');
  return slash == std::string::npos ? 0 : number_of_item(step.substr(0, step.find('/', slash + 1)));
}

Budget budget_of(const Workflow& workflow, const RunState& state) {
  Budget budget = workflow.budget;
  const auto whole = [&](const char* name) -> std::optional<std::int64_t> {
    const auto found = state.budget.find(name);
    return found == state.budget.end() || !found->is_number() ? std::nullopt
                                                              : std::optional(found->get<std::int64_t>());
  };
  if (!state.budget.is_object()) return budget;
  if (const auto usd = state.budget.find("usd"); usd != state.budget.end() && usd->is_number())
    budget.usd = usd->get<double>();
  if (const auto tokens = whole("tokens")) budget.tokens = tokens;
  if (const auto turns = whole("turns")) budget.turns = turns;
  if (const auto time = whole("time_ms")) budget.time = std::chrono::milliseconds(*time);
  return budget;
}

Json to_json(const RunState& state) { return Json(state); }

Result<RunState> state_from_json(const Json& json) {
  try {
    return json.get<RunState>();
  } catch (const Json::exception& error) {
    return fail(Code::invalid, fmt::format("the snapshot of the run cannot be read: {}", error.what()));
  }
}

}  // namespace teamster::workflow
