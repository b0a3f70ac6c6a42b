// Projection of the task lists: status, owner and claim token of each task, its texts,
// and which tasks wait for which. `unmet` counts blockers that are not completed. The next
// free tasks of a team are remembered from its first claim on.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "store/database.h"
#include "store/event.h"
#include "store/free_tasks.h"
#include "store/task_row.h"

namespace teamster::store {

struct TaskText {
  std::string subject;
  std::string description;
  std::string metadata;
  std::string reserved = {};  // who hands it out, and why; empty where anybody may claim it
};

class TaskTable {
 public:
  explicit TaskTable(Database& database) : database_(database) {}

  Result<std::optional<TaskRow>> get(TeamId team, TaskId id);
  Result<TaskText> text(TeamId team, TaskId id);
  struct Free {
    TaskRow row;
    TaskText text;
  };
  // Lowest number that is pending with no unmet blocker and not reserved. With its text: who asks, claims it.
  Result<std::optional<Free>> next_free(TeamId team);
  // 0 when there is none.
  Result<TaskId> last_id(TeamId team);
  struct Filter {
    std::optional<TaskStatus> status;
    std::optional<MemberId> owner;
  };
  // By number, without deleted ones unless asked for.
  Result<std::vector<TaskRow>> page(TeamId team, const Filter& filter, TaskId after, std::size_t limit);
  // Walks through the team's tasks: for all owners at once, and not often.
  Result<std::map<MemberId, std::vector<TaskId>>> held(TeamId team);
  Result<std::int64_t> count(TeamId team, TaskStatus status);
  Result<std::vector<TaskId>> blockers(TeamId team, TaskId blocked);
  Result<std::vector<TaskId>> blocks(TeamId team, TaskId blocker);
  Result<std::vector<TaskId>> unmet_blockers(TeamId team, TaskId blocked);

  Result<void> apply_created(const Event& event);
  Result<void> apply_claimed(const Event& event);
  Result<void> apply_updated(const Event& event);
  Result<void> apply_released(const Event& event);
  Result<void> remove_team(TeamId team);
  // After a rollback: what is remembered may be wrong.
  void forget() { free_.clear(); }

 private:
  Result<void> add_blockers(TeamId team, TaskId blocked, const Json& blockers);
  Result<void> set_status(const Event& event, TaskId id, TaskStatus status);
  Result<void> change_texts(const Event& event, TaskId id);
  // Until one is known, or all are.
  Result<void> look_for_free(TeamId team, FreeTasks& free);
  // The task has changed: whether it is free may have, too.
  Result<void> note_changed(TeamId team, TaskId id);

  Database& database_;
  std::map<TeamId, FreeTasks> free_;  // of teams in which somebody has claimed
};

}  // namespace teamster::store
