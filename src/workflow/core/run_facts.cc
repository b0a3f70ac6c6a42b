#include "workflow/core/run_facts.h"

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "base/json_fields.h"
#include "workflow/core/people.h"
#include "workflow/core/retrospect.h"
#include "workflow/core/run_answers.h"
#include "workflow/core/step_names.h"
#include "workflow/format/spec_words.h"

namespace teamster::workflow {
namespace {

constexpr const char* kForAll = "all";

// One that has the run's own name is nobody's idea of a team: its members work alone.
Json team_fact(const Pinned& pinned, const RunState& state, bool is_name_wanted) {
  const std::string& team = state.phase_team.empty() ? state.run_team : state.phase_team;
  if (team.empty() || team == pinned.run) return {};
  if (is_name_wanted) return team;
  Json names = Json::array();
  for (const auto& [name, member] : state.members)
    if (member.team == team) names.push_back(name);
  return names;
}

const Phase* phase_named(const Pinned& pinned, const std::string& id) {
  const auto& phases = pinned.workflow.phases;
  const auto found = std::find_if(phases.begin(), phases.end(), [&](const Phase& each) { return each.id == id; });
  return found == phases.end() ? nullptr : &*found;
}

const RunItem* item_of_step(const RunState& state, const std::string& step) {
  const std::int64_t number = item_in(step);
  if (number == 0) return nullptr;
  if (phase_of(step) == state.phase) return state.items.find(number);
  const auto earlier = state.earlier.find(phase_of(step));
  return earlier == state.earlier.end() ? nullptr : earlier->second.find(number);
}

std::string name_of_item(const Json& item) {
  if (item.is_string()) return item.get<std::string>();
  const Json skill = value_at(item, "skill");
  return skill.is_string() ? skill.get<std::string>() : std::string();
}

std::string name_of_phase(const Phase& phase) { return phase.skill.empty() ? phase.title : phase.skill; }

std::string step_at(const Moment& moment) {
  if (moment.phase == nullptr) return {};
  return moment.item_number == 0 ? moment.phase->id : item_step(moment.phase->id, moment.item_number);
}

Json iterations(const Pinned& pinned, const RunState& state) {
  Json counts = Json::object();
  for (const auto& [id, count] : state.entered) {
    const Phase* phase = phase_named(pinned, id);
    if (phase == nullptr || (phase->kind != Phase::Kind::agent && phase->kind != Phase::Kind::fanout)) continue;
    std::vector<std::string> names;
    for (const auto& item : phase->items ? phase->items->fixed : std::vector<Json>())
      names.push_back(name_of_item(item));
    std::erase(names, "");
    if (names.empty()) names.push_back(name_of_phase(*phase));
    for (const auto& name : names) {
      const std::int64_t before = counts.value(name, std::int64_t{0});
      counts[name] = std::max(before, count);
    }
  }
  return counts;
}

Json escalations(const Pinned& pinned, const RunState& state) {
  Json climbed = Json::object();
  for (const auto& [step, how] : state.escalated) climbed[known_name(pinned, state, step)] = how;
  return climbed;
}

// What a person said to the workflow itself is for everybody; what was said about a step, for who works on it.
bool touches(const RunDirective& directive, const std::string& step) {
  return directive.is_for_all || directive.step == step;
}

Json directives(const Moment& moment, bool own) {
  const std::string step = step_at(moment);
  Json list = Json::array();
  for (const auto& each : moment.state.directives)
    if (!own || touches(each, step))
      list.push_back({{"question", each.question}, {"answer", each.answer}, {"by", each.by}, {"about", each.step}});
  return list;
}

}  // namespace

std::string known_name(const Pinned& pinned, const RunState& state, const std::string& step) {
  const Phase* phase = phase_named(pinned, phase_of(step));
  if (phase != nullptr && step.ends_with(kMerge) && !phase->merge_skill.empty()) return phase->merge_skill;
  if (const RunItem* item = item_of_step(state, step))
    if (std::string name = name_of_item(item->item); !name.empty()) return name;
  return phase == nullptr ? step : name_of_phase(*phase);
}

bool is_of_sections(const Pinned& pinned, const std::string& name) {
  const auto& values = pinned.workflow.values;
  return std::any_of(values.begin(), values.end(),
                     [&](const Value& each) { return each.name == name && each.kind == Value::Kind::sections; });
}

Json sections_concerning(const Pinned& pinned, const Moment& moment, const Json& sections) {
  if (!sections.is_object()) return sections;
  std::set<std::string> names = {kForAll};
  if (moment.phase != nullptr) {
    names.insert({moment.phase->id, moment.phase->title, moment.phase->role, moment.phase->skill});
    names.insert(moment.phase->roles.begin(), moment.phase->roles.end());
    names.insert(known_name(pinned, moment.state, step_at(moment)));
    if (moment.item != nullptr) names.insert(name_of_item(*moment.item));
  }
  Json entries = Json::array();
  for (const auto& [heading, list] : sections.items())
    if (names.contains(heading) && list.is_array()) entries.insert(entries.end(), list.begin(), list.end());
  return entries;
}

Json run_fact(const Pinned& pinned, const Moment& moment, const std::string& name) {
  const RunState& state = moment.state;
  if (name == "id") return pinned.run;
  if (name == "entry") return state.entry.empty() ? Json() : Json(state.entry);
  if (name == "started") return state.started_s == 0 ? Json() : Json(state.started_s);
  if (name == "temporary") return state.temporary.empty() ? Json() : Json(state.temporary);
  if (name == "team" || name == "members") return team_fact(pinned, state, name == "team");
  if (name == "item_number") return moment.item == nullptr ? Json() : Json(moment.item_number);
  if (name == "ticked" || name == "boxes")
    return state.boxes < 0 ? Json() : Json(name == "boxes" ? state.boxes : state.ticked);
  if (name == "owner") return owner_of(state.people);
  if (name == "has_stakeholders") return has_stakeholders(state.people);
  if (name == "has_qa") return has_qa(state.people);
  if (name == "stakeholders" || name == "groups") return field_in(state.people, name);
  if (name == "channel" || name == "channel_name") return channel_of(state.people, pinned.run, name == "channel");
  if (name == "threads") return threads_of(state.people, pinned.run);
  if (name == "chat") return chat_text(state.people, pinned.run);
  if (name == "iterations") return iterations(pinned, state);
  if (name == "escalations") return escalations(pinned, state);
  if (name == "directives" || name == "own_directives") return directives(moment, name == "own_directives");
  if (name == "lessons") return lessons_of(pinned, state);
  if (name == "signals") return signals_of(pinned, state);
  if (name == "insights") return insights_of(pinned, state);
  if (moment.phase == nullptr) return {};
  if (name == "phase") return moment.phase->id;
  if (name == "team_phase") return team_fact(pinned, state, true).is_null() ? Json() : Json(moment.phase->id);
  if (name == "phase_number") {
    const auto number = stage_number(*moment.phase);
    return number ? Json(*number) : Json(stage_of(*moment.phase));
  }
  if (name == "phase_name") return moment.phase->title;
  if (name == "iteration") {
    const auto entered = state.entered.find(moment.phase->id);
    return entered == state.entered.end() ? 1 : entered->second;
  }
  return {};
}

}  // namespace teamster::workflow
