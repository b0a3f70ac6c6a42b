// The part of Decision for what items have beside their work: a team of their own, and a task in the team's list.
#include <algorithm>

#include <fmt/format.h>

#include "base/limits.h"
#include "protocol/words/task_status.h"
#include "workflow/core/decision.h"

namespace teamster::workflow {

// Few items are done by one member, in the team of the run.
bool Decision::has_item_teams(const Phase& target) const {
  return target.team.scope == Team::Scope::item && target.items &&
         state_.items.group_size() >= std::max(target.items->at_least, target.team.at_least) &&
         only_holds(pinned_, moment(target), target.team.only);
}

// Items that another run works on, or for which a team is made, are in the lists of those.
bool Decision::has_tasks(const Phase& target) const {
  const std::string step = step_of(target.id, kTasks);
  const bool has_list = std::none_of(state_.warnings.begin(), state_.warnings.end(),
                                     [&](const command::Warn& warning) { return warning.about == step; });
  return target.kind == Phase::Kind::fanout && has_list && !has_item_teams(target);
}

// A checklist says by itself what is to be done and what is done: without the team's list it is followed alone.
bool Decision::goes_on_without_list(const Phase& target, const std::string& error) {
  if (!target.items || target.items->checklist.empty()) return false;
  emit_fact(command::Warn{.about = step_of(target.id, kTasks),
                          .text = fmt::format("WARNING: The task list of team {} cannot be used: {}\n"
                                              "Falling back to the checklist alone.",
                                              team(), error)});
  start_free_items(target);
  return true;
}

Result<std::string> Decision::team_of_item(const Phase& target, std::int64_t number) const {
  return team_name(moment_of(target, item_step(target.id, number)), target.team.name);
}

// Whether the work on it can begin: the item's own team comes first. Another item that has a team of the same
// name has to be done before.
bool Decision::is_item_ready(const Phase& target, std::int64_t number) {
  if (!has_item_teams(target)) return true;
  const std::string step = item_step(target.id, number);
  if (is_open(step_of(step, kTeam))) return false;
  if (state_.item_teams.count(step) != 0) return true;
  const auto name = team_of_item(target, number);
  if (!name) {
    park_words(step, name.error());
    return false;
  }
  if (std::find(state_.teams.begin(), state_.teams.end(), *name) == state_.teams.end())
    emit(step_of(step, kTeam), command::MakeTeam{.team = *name, .members = native_members()});
  return false;
}

// Ends the team of an item that is over. True when that has to be waited for.
bool Decision::end_item_team(const Phase& target, std::int64_t number) {
  const std::string step = item_step(target.id, number);
  const auto own = state_.item_teams.find(step);
  if (own == state_.item_teams.end()) return false;
  emit(step_of(step, kTeamEnd), command::EndTeam{.team = std::string(own->second)});
  return true;
}

// Whether its owner is asked what shall become of it, or of what is done for it.
bool Decision::is_item_parked(const std::string& step) const {
  return is_open(step_of(step, kStuck)) || is_open(step_of(step_of(step, kTeam), kStuck));
}

// In parts, so that the first can begin while the others are being made. What has passed already needs none.
void Decision::make_tasks(const Phase& target, std::int64_t from) {
  const std::string step = step_of(target.id, kTasks);
  const auto needs_one = [&](std::int64_t number) {
    const RunItem* item = state_.items.find(number);
    return item != nullptr && item->status == RunItem::Status::waiting && item->task.empty();
  };
  if (has_tasks(target) && !is_open(step) && !is_open(step_of(step, kStuck))) {
    while (from <= state_.items.size() && !needs_one(from)) ++from;
    std::int64_t to = from;
    while (to - from + 1 < limits::kTasksMadeAtOnce && needs_one(to + 1)) ++to;
    if (from <= state_.items.size()) emit(step, command::MakeTasks{.team = team(), .from = from, .to = to});
  }
  start_free_items(target);
}

void Decision::finish_task(const Phase& target, std::int64_t number) {
  const RunItem* item = state_.items.find(number);
  if (item == nullptr || item->task.empty()) return;
  const bool has_passed = item->status == RunItem::Status::passed;
  emit(step_of(item_step(target.id, number), kTaskEnd),
       command::FinishTask{.team = team(),
                           .task = item->task,
                           .status = std::string(to_string(has_passed ? TaskStatus::completed : TaskStatus::failed)),
                           .why = item->why});
}

}  // namespace teamster::workflow
