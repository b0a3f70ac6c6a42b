// The part of Decision for what items have beside their work: a team of their own, and a task in the team's list.
#include <algorithm>

#include <fmt/format.h>

#include "base/limits.h"
#include "protocol/words/task_status.h"
#include "workflow/core/decision.h"

namespace teamster::workflow {

// Few items are done by one member, in the team of the run.
bool Decision::has_item_teams(const Phase& target) const {
  return target.team.scope == Team::Scope::item && target.items && state_.items.size() >= target.items->at_least;
}

// Items that another run works on, or for which a team is made, are in the lists of those.
bool Decision::has_tasks(const Phase& target) const {
  return target.kind == Phase::Kind::fanout && !has_item_teams(target);
}

Result<std::string> Decision::team_of_item(const Phase& target, std::int64_t number) const {
  return short_text(pinned_, moment_of(target, item_step(target.id, number)), target.team.name);
}

// Whether the work on it can begin: the item's own team comes first. Another item that has a team of the same
// name has to be done before.
bool Decision::is_item_ready(const Phase& target, std::int64_t number) {
  if (!has_item_teams(target)) return true;
  const std::string step = item_step(target.id, number);
  if (is_open(step_of(step, kTeam))) return false;
  if (attempts_of(step_of(step, kTeam)) > attempts_of(step_of(step, kTeamEnd))) return true;
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
  if (!has_item_teams(target) || attempts_of(step_of(step, kTeam)) <= attempts_of(step_of(step, kTeamEnd)))
    return false;
  emit(step_of(step, kTeamEnd), command::EndTeam{.team = team_for(target, step)});
  return true;
}

// In parts, so that the first can begin while the others are being made.
void Decision::make_tasks(const Phase& target, std::int64_t from) {
  if (has_tasks(target) && from <= state_.items.size() && !is_open(step_of(target.id, kTasks)))
    emit(step_of(target.id, kTasks),
         command::MakeTasks{
             .team = team(), .from = from, .to = std::min(state_.items.size(), from + limits::kTasksMadeAtOnce - 1)});
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
