#include "protocol/words/task_status.h"

namespace teamster {
namespace {

constexpr std::array<std::string_view, kTaskStatuses.size()> kStatusNames = {"pending", "in_progress", "completed",
                                                                             "failed", "deleted"};

}  // namespace

std::string_view to_string(TaskStatus status) { return kStatusNames[static_cast<std::size_t>(status)]; }

std::optional<TaskStatus> task_status_from_string(std::string_view name) {
  for (const TaskStatus status : kTaskStatuses)
    if (to_string(status) == name) return status;
  return std::nullopt;
}

std::vector<std::string> task_status_names() { return {kStatusNames.begin(), kStatusNames.end()}; }

}  // namespace teamster
