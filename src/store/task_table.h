// Projection of the task lists: status, owner and claim token of each task, its texts,
// and which tasks wait for which. `unmet` counts blockers that are not completed, so the
// next free task is one look into an index.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "store/database.h"
#include "store/event.h"

namespace teamster::store {

enum class TaskStatus { pending = 0, in_progress = 1, completed = 2, failed = 3, deleted = 4 };
std::string_view to_string(TaskStatus status);
std::optional<TaskStatus> task_status_from_string(std::string_view name);

struct TaskRow {
  TaskId id;
  TaskStatus status = TaskStatus::pending;
  std::int64_t unmet = 0;
  bool is_linked = false;  // it blocks or is blocked, or once was
  std::optional<MemberId> owner;
  Epoch owner_epoch;
  std::string token;
  WallTime created;
  WallTime updated;
};

struct TaskText {
  std::string subject;
  std::string description;
  std::string metadata;
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
  // Lowest number that is pending with no unmet blocker. With its text: who asks, claims it.
  Result<std::optional<Free>> next_free(TeamId team);
  // 0 when there is none.
  Result<TaskId> last_id(TeamId team);
  struct Filter {
    std::optional<TaskStatus> status;
    std::optional<MemberId> owner;
  };
  // By number, without deleted ones unless asked for.
  Result<std::vector<TaskRow>> page(TeamId team, const Filter& filter, TaskId after, std::size_t limit);
  Result<std::vector<TaskId>> held_by(TeamId team, MemberId owner);
  Result<std::int64_t> count(TeamId team, TaskStatus status);
  Result<std::vector<TaskId>> blockers(TeamId team, TaskId blocked);
  Result<std::vector<TaskId>> blocks(TeamId team, TaskId blocker);
  Result<std::vector<TaskId>> unmet_blockers(TeamId team, TaskId blocked);

  Result<void> apply_created(const Event& event);
  Result<void> apply_claimed(const Event& event);
  Result<void> apply_updated(const Event& event);
  Result<void> apply_released(const Event& event);
  Result<void> remove_team(TeamId team);

 private:
  Result<void> add_blockers(TeamId team, TaskId blocked, const Json& blockers);
  Result<void> set_status(const Event& event, TaskId id, TaskStatus status);

  Database& database_;
};

}  // namespace teamster::store
