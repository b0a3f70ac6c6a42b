// TaskRow: what the store knows of one task besides its texts. A value; read from the file
// by the task table, on the store's thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/time.h"

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

  // May be claimed.
  bool is_free() const { return status == TaskStatus::pending && unmet == 0; }
};

}  // namespace teamster::store
