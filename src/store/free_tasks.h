// FreeTasks: the free tasks of one team with the lowest numbers, remembered, so that a claim
// neither looks for its task nor keeps an index of them. All free ones up to `known_to` are
// here, at most kKeptMax; what is above it is in the file alone. Owned by the task table,
// which tells it of every change, on the store's thread.
#pragma once

#include <cstddef>
#include <limits>
#include <map>
#include <vector>

#include "base/ids.h"
#include "store/store_limits.h"
#include "store/task_row.h"

namespace teamster::store {

class FreeTasks {
 public:
  static constexpr std::size_t kKeptMax = kFreeTasksKeptMax;
  static constexpr TaskId kAll{std::numeric_limits<std::int64_t>::max()};

  // nullptr: none up to known_to().
  const TaskRow* lowest() const { return tasks_.empty() ? nullptr : &tasks_.begin()->second; }
  TaskId known_to() const { return known_to_; }

  // All free ones with numbers above known_to() and up to `known_to`.
  void extend(const std::vector<TaskRow>& tasks, TaskId known_to);
  // How the task is now, free or not.
  void update(const TaskRow& task);
  void remove(TaskId id) { tasks_.erase(id); }

 private:
  std::map<TaskId, TaskRow> tasks_;
  TaskId known_to_;
};

}  // namespace teamster::store
