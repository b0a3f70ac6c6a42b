// The part of Decision for teams: that of the run, from its start or from some phase on, and what becomes of the work
// when there is none. Where a run has no team of its own its members are in one that has the run's name: a mailbox for
// each, and for people no team at all.
#include <algorithm>

#include <fmt/format.h>

#include "workflow/core/decision.h"
#include "workflow/core/reach.h"
#include "workflow/format/entry.h"

namespace teamster::workflow {
namespace {

constexpr std::string_view kEndOf = "end-";

// Such a role has members ROLE-1, ROLE-2, … while its phase lasts; one with the role's own name would never be asked.
bool works_on_items_only(const Workflow& workflow, const std::string& role) {
  bool is_for_items = false;
  for (const auto& phase : workflow.phases) {
    const bool has_items = phase.kind == Phase::Kind::fanout;
    if (phase.merge == role || (!has_items && phase.role == role)) return false;
    is_for_items = is_for_items || phase.role == role ||
                   std::find(phase.roles.begin(), phase.roles.end(), role) != phase.roles.end();
  }
  return is_for_items;
}

}  // namespace

void Decision::start() {
  if (roles_within(workflow_, state_.entry).empty()) return team_ready();  // nobody to be in one
  const Phase* first = phase(state_.phase.empty() ? state_.start_phase : state_.phase);
  make_run_team(is_run_team_due(first == nullptr ? first_phase() : *first));
}

// Whether the run's own team is to be made before this phase.
bool Decision::is_run_team_due(const Phase& before) {
  const Team& own = workflow_.team;
  if (own.scope != Team::Scope::run || roles_within(workflow_, state_.entry).empty()) return false;
  if (!state_.run_team.empty() && state_.run_team != pinned_.run) return false;
  const auto has_come = [&](const Team::From& from) {
    const Phase* beginning = phase(from.phase);
    return (beginning == nullptr || before.number >= beginning->number) &&
           only_holds(pinned_, moment(before), from.only);
  };
  if (!own.from.empty() && std::none_of(own.from.begin(), own.from.end(), has_come)) return false;
  return is_team_wanted(own, moment(before), std::string(kRunTeam));
}

// Who works alone is told so once.
bool Decision::is_team_wanted(const Team& wanted, const Moment& at, const std::string& step) {
  const auto is_about_it = [&](const command::Warn& warning) { return warning.about == step; };
  if (std::any_of(state_.warnings.begin(), state_.warnings.end(), is_about_it)) return false;
  if (only_holds(pinned_, at, wanted.only)) return true;
  warn_of_work_alone(wanted, at, step);
  return false;
}

void Decision::warn_of_work_alone(const Team& wanted, const Moment& at, const std::string& step) {
  const auto text = short_text(pinned_, at, wanted.otherwise);
  emit_fact(command::Warn{
      .about = step,
      .text = text && !text->empty() ? *text : fmt::format("{}: there is no team, so members work alone", step)});
}

// A team that cannot be made: where the workflow has words for it, its members work alone.
bool Decision::goes_on_alone() {
  const Phase* current = phase(state_.phase);
  if (event_.step == kRunTeam) {
    if (workflow_.team.otherwise.empty() || settled_->get<command::MakeTeam>().team == pinned_.run) return false;
    warn_of_work_alone(workflow_.team, current == nullptr ? Moment{state_} : moment(*current), event_.step);
    make_run_team(false);
    return true;
  }
  if (current == nullptr || current->team.otherwise.empty() || event_.step != step_of(current->id, kTeam)) return false;
  warn_of_work_alone(current->team, moment(*current), event_.step);
  begin_work(*current, 1);
  return true;
}

// The members so far go first, and with them their names.
void Decision::make_way_for_run_team() {
  if (state_.run_team.empty()) return make_run_team(true);
  emit(step_of(kEndOf, state_.run_team), command::EndTeam{.team = state_.run_team});
}

void Decision::make_run_team(bool is_own) {
  command::MakeTeam made{.team = pinned_.run, .members = native_members()};
  if (is_own) {
    const bool is_later = !workflow_.team.starts_together;
    const Phase* at = phase(state_.phase.empty() ? state_.start_phase : state_.phase);
    const Reach reach = reach_from(pinned_, state_, at == nullptr ? workflow_.phases.front() : *at);
    for (const auto& name : roles_within(workflow_, state_.entry)) {
      if (workflow_.roles.at(name).is_native || works_on_items_only(workflow_, name)) continue;
      if (!is_later || reach.has(name, name)) made.members.push_back({.name = name, .role = name, .later = is_later});
    }
    auto name = team_name({state_}, workflow_.team.name);
    if (!name) return park_words(std::string(kRunTeam), name.error());
    made.team = *std::move(name);
  }
  emit(std::string(kRunTeam), std::move(made));
}

// Those that begin with the first items, as many as may work at once.
std::vector<command::NewMember> Decision::members_for_items(const Phase& target) const {
  std::vector<command::NewMember> members = native_members();
  if (target.kind != Phase::Kind::fanout) return members;
  const auto roles = roles_of(target);
  std::map<std::string, std::int64_t> slots;
  std::int64_t left = members_at_once(target);
  for (std::int64_t number = 1; number <= state_.items.size() && left > 0; ++number) {
    const std::string role = role_of_item(target, number);
    const bool is_waiting = state_.items.find(number)->status == RunItem::Status::waiting;
    if (!is_waiting || std::find(roles.begin(), roles.end(), role) == roles.end()) continue;
    members.push_back(
        {.name = fmt::format("{}-{}", role, ++slots[role]), .role = role, .later = !target.team.starts_together});
    --left;
  }
  return members;
}

// Whoever no way of the workflow leads to any more goes, unless its team goes as one.
void Decision::retire_members() {
  const Phase* at = phase(state_.phase);
  const bool is_own = state_.run_team != pinned_.run;
  if (at == nullptr || !state_.ending.empty() || is_ending(state_.run_team)) return;
  if (is_own && workflow_.team.starts_together) return;
  const Reach reach = reach_from(pinned_, state_, *at);
  std::vector<std::string> going;
  for (const auto& [name, member] : state_.members)
    if (member.team == state_.run_team && !member.temporary && !reach.has(name, member.role) && may_retire(name))
      going.push_back(name);
  for (const auto& name : going) emit(step_of(name, kRetire), command::Retire{.team = state_.run_team, .member = name});
}

// Not while it works, waits for an answer, or is told one.
bool Decision::may_retire(const std::string& member) const {
  if (state_.paused.count(member) != 0) return false;
  return std::none_of(state_.open.begin(), state_.open.end(), [&](const auto& open) {
    const RunCommand& effect = open.second;
    if (const auto* turn = effect.template as<command::Turn>()) return turn->member == member;
    if (const auto* wait = effect.template as<command::Wait>()) return wait->turn.member == member;
    if (const auto* reply = effect.template as<command::Reply>()) return reply->member == member;
    const auto* question = effect.template as<command::Ask>();
    return question != nullptr && (question->from == member || (question->turn && question->turn->member == member));
  });
}

void Decision::team_ready() {
  if (const Phase* current = phase(state_.phase))
    return state_.items.empty() ? begin_phase(*current) : go_on_with_items(*current);
  const Phase* first = phase(state_.start_phase);
  if (first == nullptr) return enter(&first_phase(), "");
  enter(first, state_.sender.empty() ? latest_sender(*first) : state_.sender);
}

void Decision::team_gone() {
  if (!state_.ending.empty()) return end_when_all_are_gone();
  if (state_.phase.empty()) return go_on_when_all_are_gone();
  if (event_.step == step_of(kEndOf, pinned_.run)) return make_run_team(true);
  // It was the team of a phase, whose answer is settled already.
  const Phase* current = phase(phase_of(event_.step));
  if (current == nullptr) return;
  if (event_.step == step_of(current->id, kGroupEnd)) return group_is_over(*current);
  if (event_.step != step_of(current->id, kTeamEnd)) return go_on_with_items(*current);
  const auto answer = state_.answers.find(current->id);
  if (answer != state_.answers.end()) leave(*current, Json(answer->second.value));
}

std::string Decision::team() const {
  if (!state_.phase_team.empty()) return state_.phase_team;
  return state_.run_team.empty() ? pinned_.run : state_.run_team;
}

// Never empty: who would be in a team without a name?
Result<std::string> Decision::team_name(const Moment& at, const std::string& text) const {
  std::string name = TRY(short_text(pinned_, at, text));
  if (!name.empty()) return name;
  return fail(Code::invalid, fmt::format("the name of the team, {}, is empty", text),
              "Give what it is made of a value, or the team another name");
}

std::string Decision::team_for(const Phase& of, const std::string& step) const {
  const auto own = state_.item_teams.find(step);
  return has_item_teams(of) && own != state_.item_teams.end() ? own->second : team();
}

// Parts of the engine that sit in every team: they read what members send them.
std::vector<command::NewMember> Decision::native_members() const {
  std::vector<command::NewMember> natives;
  for (const auto& [name, role] : workflow_.roles)
    if (role.is_native) natives.push_back({.name = name, .role = name, .native = true});
  if (workflow_.roles.count(kLead) == 0) natives.push_back({.name = kLead, .role = kLead, .native = true});
  return natives;
}

}  // namespace teamster::workflow
