#include "store/free_tasks.h"

#include <iterator>

namespace teamster::store {

void FreeTasks::extend(const std::vector<TaskRow>& tasks, TaskId known_to) {
  known_to_ = known_to;
  for (const auto& task : tasks) update(task);
}

void FreeTasks::update(const TaskRow& task) {
  if (!task.is_free()) return remove(task.id);
  if (task.id > known_to_) return;
  tasks_.insert_or_assign(task.id, task);
  if (tasks_.size() <= kKeptMax) return;
  const auto highest = std::prev(tasks_.end());
  known_to_ = TaskId(highest->first.value - 1);
  tasks_.erase(highest);
}

}  // namespace teamster::store
