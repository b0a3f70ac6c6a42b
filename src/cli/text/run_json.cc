#include "cli/text/run_json.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "cli/text/answer_fields.h"

namespace teamster::cli {
namespace {

Json usage_json(const workflow::RunUsage& usage) {
  return {{"turns", usage.turns}, {"tokens", usage.tokens}, {"cost_usd", usage.usd}};
}

Json time_json(const std::optional<WallTime>& time) { return time ? Json(to_iso8601(*time)) : Json(); }

Json holder_json(const hub::RunHolder& holder) {
  return {{"pid", holder.pid}, {"alive", holder.is_alive}, {"until", time_json(holder.until)}};
}

Json field_or_null(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? Json() : *found;
}

Json steps_json(const engine::RunReading& reading) {
  std::vector<const engine::StepAttempt*> in_order;
  for (const auto& [id, attempt] : reading.attempts()) in_order.push_back(&attempt);
  std::stable_sort(in_order.begin(), in_order.end(), [](const auto* a, const auto* b) { return a->n < b->n; });
  Json steps = Json::array();
  for (const auto* attempt : in_order) {
    const workflow::RunCommand& command = attempt->command;
    Json step = {{"id", command.id()},
                 {"step", command.step},
                 {"attempt", command.attempt},
                 {"kind", kind_of(command)},
                 {"since", to_iso8601(attempt->since)},
                 {"until", time_json(attempt->until)},
                 {"outcome", attempt->outcome.empty() ? "open" : attempt->outcome}};
    const auto turn = command.as<workflow::command::Turn>();
    const auto failed = attempt->ending.as<workflow::event::Failed>();
    step["member"] = turn ? Json(turn->member) : Json();
    step["rung"] = turn && !turn->rung.empty() ? Json(turn->rung) : Json();
    step["error"] = failed ? Json(failed->error) : Json();
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace

Json question_json(const engine::RunQuestion& question) {
  const workflow::command::Ask& asks = question.asks;
  Json json = {{"id", question.id()},
               {"run", question.run},
               {"question", question.id_in_run()},
               {"step", question.step},
               {"gate", asks.gate},
               {"to", asks.to},
               {"text", asks.text},
               {"options", asks.options},
               {"outcomes", asks.outcomes},
               {"asked", time_json(question.asked)},
               {"held", question.run_is_held}};
  json["expertise"] = asks.expertise.empty() ? Json() : Json(asks.expertise);
  json["from"] = asks.from.empty() ? Json() : Json(asks.from);
  json["also"] = asks.also.empty() ? Json() : Json(asks.also);
  json["attach"] = asks.attach.empty() ? Json() : Json(asks.attach);
  json["told_by"] = question.told_by.empty() ? Json() : Json(question.told_by);
  const std::chrono::milliseconds deadline(asks.deadline_ms);
  json["deadline"] = question.asked && deadline.count() > 0 ? Json(to_iso8601(*question.asked + deadline)) : Json();
  return json;
}

Json view_json(const engine::RunView& view) {
  const workflow::RunState& state = view.reading.state();
  const auto used = state.usage.find("run");
  Json json = {{"run", view.run()},
               {"workflow", view.listed.workflow},
               {"entry", state.entry.empty() ? Json() : Json(state.entry)},
               {"args", state.args},
               {"flags", state.flags.is_null() ? Json::object() : state.flags},
               {"status", view.status()},
               {"reason", view.has_ended() ? state.reason : state.ending_reason},
               {"phase", state.phase},
               {"stage", state.stage},
               {"phase_since", time_json(view.reading.phase_since())},
               {"next", view.next()}};
  const hub::ListedRun& listed = view.listed;
  json["key"] = listed.key ? Json(*listed.key) : Json();
  json["started"] = time_json(listed.started);
  json["ended"] = time_json(listed.ended);
  json["holder"] = listed.holder ? holder_json(*listed.holder) : Json();
  json["n"] = listed.n;
  json["usage"] = usage_json(used == state.usage.end() ? workflow::RunUsage{} : used->second);
  json["weather"] = Json::array();
  for (const auto& each : view.weather())
    json["weather"].push_back({{"wait", each.id},
                               {"why", each.why},
                               {"tries", each.tries},
                               {"since", time_json(each.since)},
                               {"next", time_json(each.next)}});
  json["questions"] = Json::array();
  for (const auto& question : view.questions()) json["questions"].push_back(question_json(question));
  return json;
}

Json view_json_in_full(const engine::RunView& view) {
  const workflow::RunState& state = view.reading.state();
  Json json = view_json(view);
  json["project"] = field_or_null(view.setup, "project");
  json["sender"] = state.sender;
  json["loops"] = state.loops;
  json["entered"] = view.reading.entered();
  json["teams"] = state.teams;
  json["members"] = Json::array();
  for (const auto& [name, member] : state.members)
    json["members"].push_back({{"name", name}, {"role", member.role}, {"team", member.team}});
  json["lead"] = {{"mode", view.has_ended() ? Json() : Json(view.lead_mode())}, {"tokens", 0}, {"cost_usd", 0}};
  json["usage_by"] = Json::object();
  for (const auto& [scope, usage] : state.usage) json["usage_by"][scope] = usage_json(usage);
  json["steps"] = steps_json(view.reading);
  json["open"] = Json::array();
  for (const auto& [id, open] : state.open) json["open"].push_back(id);
  json["notes"] = view.reading.notes();
  return json;
}

}  // namespace teamster::cli
