// The part of Decision for work on several items: who takes which, pools, sub-runs, and the teams that are
// made for a phase or for each item.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "workflow/core/decision.h"
#include "workflow/format/template.h"

namespace teamster::workflow {
namespace {

constexpr const char* kTeam = "/team";
constexpr const char* kTeamEnd = "/end-team";

// How many members a phase may have at once that does not say.
constexpr std::int64_t kMembersAtOnce = 5;

}  // namespace

void Decision::begin_items(const Phase& target) {
  const Items& items = *target.items;
  if (!items.checklist.empty()) {
    if (const auto path = text_or_block(target, items.checklist))
      emit(target.id + kItemList, command::ReadItems{.checklist = *path, .group = items.group});
    return;
  }
  std::vector<Json> list(items.fixed.begin(), items.fixed.end());
  if (items.source) {
    const Json value = value_of(pinned_, moment(target), *items.source);
    if (value.is_array()) list = value.get<std::vector<Json>>();
  }
  items_known(target, std::move(list));
}

void Decision::items_known(const Phase& target, std::vector<Json> items) {
  emit_fact(command::Items{.list = items});
  if (items.empty()) return settle(target, Json::array(), true);
  if (target.kind == Phase::Kind::workflow) return begin_sub_runs(target);
  const bool alone = static_cast<std::int64_t>(items.size()) < target.items->at_least;
  if (target.team.scope == Team::Scope::phase && !alone) {
    const auto name = text_or_block(target, target.team.name);
    if (!name) return;
    return emit(target.id + kTeam, command::MakeTeam{.team = *name});
  }
  start_free_items(target);
}

void Decision::go_on_with_items(const Phase& target) {
  target.kind == Phase::Kind::workflow ? begin_sub_runs(target) : start_free_items(target);
}

std::vector<std::string> Decision::roles_of(const Phase& target) const {
  return target.roles.empty() ? std::vector{target.role} : target.roles;
}

// Makes the tasks of a pool, once each time its phase is entered. True while its members have to wait for them.
bool Decision::make_tasks(const Phase& target) {
  const std::string step = target.id + kTasks;
  if (target.kind != Phase::Kind::pool || state_.gathered.count(step) != 0) return false;
  if (is_open(step)) return true;
  command::MakeTasks made{.team = team()};
  for (const auto& item : state_.items) made.tasks.push_back({words_of(item), item});
  emit(step, std::move(made));
  return true;
}

// The members that work on an item, or have to be gone before their names can be given again. A team that is being
// made counts as the member that will work in it.
std::set<std::string> Decision::busy_members(const Phase& target) const {
  std::set<std::string> busy;
  for (const auto& [id, open] : state_.open) {
    if (phase_of(open.step) != target.id) continue;
    if (open.is<command::MakeTeam>()) busy.insert(open.step);
    if (const auto* turn = open.as<command::Turn>()) busy.insert(turn->member);
    // Who waits for the provider comes back to its item.
    if (const auto* wait = open.as<command::Wait>()) busy.insert(wait->turn.member);
    const auto* ended = open.as<command::EndTeam>();
    if (ended == nullptr) continue;
    for (const auto& [name, each] : state_.members)
      if (each.team == ended->team) busy.insert(name);
  }
  return busy;
}

// One member for each item, as many at once as the phase allows; the others wait for one to be free.
void Decision::start_free_items(const Phase& target) {
  if (make_tasks(target)) return;
  const auto count = static_cast<std::int64_t>(state_.items.size());
  std::int64_t most = target.items->members > 0 ? target.items->members : kMembersAtOnce;
  if (count < target.items->at_least) most = 1;
  std::set<std::string> busy = busy_members(target);
  for (std::int64_t number = 1; number <= count; ++number) {
    const std::string step = fmt::format("{}/{}", target.id, number);
    if (static_cast<std::int64_t>(busy.size()) >= most || !state_.ending.empty()) return;
    if (state_.gathered.count(step) == 0 && !is_open(step)) start_item(target, number, busy);
  }
}

void Decision::start_item(const Phase& target, std::int64_t number, std::set<std::string>& busy) {
  const std::string step = fmt::format("{}/{}", target.id, number);
  if (!is_item_ready(target, step)) {
    if (is_open(step + kTeam)) busy.insert(step + kTeam);
    return;
  }
  const auto index = static_cast<std::size_t>(number - 1);
  const auto roles = roles_of(target);
  const Json wanted = value_at(state_.items[index], "role");
  const std::string role = wanted.is_string() ? wanted.get<std::string>() : roles[index % roles.size()];
  std::int64_t slot = 1;
  while (busy.count(fmt::format("{}-{}", role, slot)) != 0) ++slot;
  const std::string member = fmt::format("{}-{}", role, slot);
  busy.insert(member);
  say(target, {.step = step, .role = role, .member = member, .returns = target.returns});
}

const Json* Decision::item_of(const std::string& step) const {
  const std::size_t slash = step.find('/');
  if (slash == std::string::npos) return nullptr;
  std::size_t number = 0;
  for (const char digit : step.substr(slash + 1)) {
    if (digit < '0' || digit > '9') return nullptr;
    number = number * 10 + static_cast<std::size_t>(digit - '0');
  }
  return number >= 1 && number <= state_.items.size() ? &state_.items[number - 1] : nullptr;
}

// Few items are done by one member, in the team of the run. The members of a pool share one list of tasks.
bool Decision::has_item_teams(const Phase& target) const {
  return target.team.scope == Team::Scope::item && target.kind != Phase::Kind::pool && target.items &&
         static_cast<std::int64_t>(state_.items.size()) >= target.items->at_least;
}

Result<std::string> Decision::team_of_item(const Phase& target, const std::string& step) const {
  return short_text(pinned_, moment(target, item_of(step)), target.team.name);
}

// Whether the work on an item can begin: the item's own team comes first. Another item that has a team of the same
// name has to be done before.
bool Decision::is_item_ready(const Phase& target, const std::string& step) {
  if (!has_item_teams(target)) return true;
  if (is_open(step + kTeam)) return false;
  if (attempts_of(step + kTeam) > attempts_of(step + kTeamEnd)) return true;
  const auto name = team_of_item(target, step);
  if (!name) {
    end_with(status::kBlocked, name.error().text());
    return false;
  }
  if (std::find(state_.teams.begin(), state_.teams.end(), *name) == state_.teams.end())
    emit(step + kTeam, command::MakeTeam{.team = *name});
  return false;
}

// Ends the team of the item that is done. False when the item has none, so that nothing has to be waited for.
bool Decision::end_item_team(const Phase& target) {
  if (!has_item_teams(target) || item_of(event_.step) == nullptr) return false;
  emit(event_.step + kTeamEnd, command::EndTeam{.team = team_for(target, event_.step)});
  return true;
}

void Decision::item_team_gone(const Phase& target) {
  if (!item_answers(target)) return go_on_with_items(target);
  const bool others_end = std::any_of(state_.open.begin(), state_.open.end(),
                                      [&](const auto& open) { return phase_of(open.second.step) == target.id; });
  if (!others_end) items_done(target);
}

void Decision::item_done(const Phase& target) {
  if (end_item_team(target)) return;
  if (target.kind == Phase::Kind::workflow) return item_answers(target) ? items_done(target) : begin_sub_runs(target);
  start_free_items(target);
  if (state_.ending.empty() && item_of(event_.step) != nullptr) items_done(target);
}

// The answers of the items in their order; nothing while one is missing.
std::optional<Json> Decision::item_answers(const Phase& target) const {
  Json answers = Json::array();
  for (std::size_t number = 1; number <= state_.items.size(); ++number) {
    const auto found = state_.gathered.find(fmt::format("{}/{}", target.id, number));
    if (found == state_.gathered.end()) return std::nullopt;
    answers.push_back(found->second);
  }
  return answers;
}

Decision::Turn Decision::merge_turn(const Phase& target, const Json& answers) const {
  return {.step = target.id + kMerge,
          .role = target.merge,
          .member = target.merge,
          .template_file = target.merge_template,
          .returns = target.merge_returns,
          .answers = answers};
}

void Decision::items_done(const Phase& target) {
  const auto answers = item_answers(target);
  if (!answers) return;
  if (!target.merge.empty()) return say(target, merge_turn(target, *answers));
  settle(target, *answers, true);
}

// Members claim by themselves; a turn ends when nothing is left to claim, so the phase is done when
// all turns have ended and no task is open.
void Decision::pool_turn_done(const Phase& target) {
  const auto* done = event_.as<event::Done>();
  const bool others_work = std::any_of(state_.open.begin(), state_.open.end(),
                                       [&](const auto& open) { return phase_of(open.second.step) == target.id; });
  const auto* turn = settled_->as<command::Turn>();
  if (done != nullptr && done->tasks_left.value_or(0) > 0 && turn != nullptr)
    return say(target, {.step = event_.step,
                        .role = turn->role,
                        .member = turn->member,
                        .rung = rung::kRetry,
                        .returns = target.returns});
  if (!others_work) settle(target, done == nullptr ? Json() : done->tasks, true);
}

void Decision::begin_sub_runs(const Phase& target) {
  if (target.items && state_.items.empty()) return begin_items(target);
  std::string step = target.id;
  for (std::size_t number = 1; target.items && number <= state_.items.size(); ++number) {
    step = fmt::format("{}/{}", target.id, number);
    if (state_.gathered.count(step) == 0) break;
  }
  if (!is_item_ready(target, step)) return;
  const Json* item = item_of(step);
  Json args = Json::object();
  for (const auto& [name, text] : target.with) {
    auto value = short_text(pinned_, moment(target, item), text);
    if (!value) return end_with(status::kBlocked, value.error().text());
    args[name] = *value;
  }
  emit(step, command::SubRun{.workflow = target.workflow, .args = std::move(args)});
}

}  // namespace teamster::workflow
