// TaskStatus: how far a task has come. Its number is what the store keeps, its name what the protocol says. Which
// changes are allowed is a rule of team/task_list.h. Values.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace teamster {

enum class TaskStatus : std::int8_t { pending = 0, in_progress = 1, completed = 2, failed = 3, deleted = 4 };

// In the order of their numbers.
inline constexpr std::array kTaskStatuses = {TaskStatus::pending, TaskStatus::in_progress, TaskStatus::completed,
                                             TaskStatus::failed, TaskStatus::deleted};
// Those that a team's tasks are counted by: what is deleted is not there any more.
inline constexpr std::array kCountedTaskStatuses = {TaskStatus::pending, TaskStatus::in_progress, TaskStatus::completed,
                                                    TaskStatus::failed};

std::string_view to_string(TaskStatus status);
std::optional<TaskStatus> task_status_from_string(std::string_view name);
std::vector<std::string> task_status_names();

}  // namespace teamster
