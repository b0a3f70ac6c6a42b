// TaskRow: what the store knows of one task besides its texts. A value; read from the file
// by the task table, on the store's thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/ids.h"
#include "base/time.h"
#include "protocol/words/task_status.h"

namespace teamster::store {

struct TaskRow {
  TaskId id;
  TaskStatus status = TaskStatus::pending;
  std::int64_t unmet = 0;
  bool is_linked = false;    // it blocks or is blocked, or once was
  bool is_reserved = false;  // it is handed out by who made it, and to nobody else
  std::optional<MemberId> owner;
  Epoch owner_epoch;
  std::string token;
  WallTime created;
  WallTime updated;

  // May be claimed by whoever asks first.
  bool is_free() const { return status == TaskStatus::pending && unmet == 0 && !is_reserved; }
};

}  // namespace teamster::store
