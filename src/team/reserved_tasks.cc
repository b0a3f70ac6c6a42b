#include "team/reserved_tasks.h"

#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "base/text.h"
#include "protocol/words/task_records.h"

namespace teamster::team {

Result<std::string> reserved_text_in(const Actor& actor, const Json& args) {
  auto text = TRY(optional_string_field(args, "reserved"));
  if (!text) return std::string();
  if (!actor.is_operator)
    return fail(Code::refused, fmt::format("member {} cannot reserve a task: that is the operator's", actor.name),
                "Leave 'reserved' out");
  if (trimmed(*text).empty()) return fail(Code::invalid, "'reserved' is empty", "Say who hands the task out, and why");
  if (text->size() > limits::kReservedMaxBytes)
    return fail(Code::invalid,
                fmt::format("'reserved' has {} bytes, the limit is {}", text->size(), limits::kReservedMaxBytes));
  return *std::move(text);
}

Result<bool> is_for_reserved(const Actor& actor, const Json& args) {
  const bool for_reserved = TRY(flag_field(args, "reserved"));
  if (for_reserved && !actor.is_operator)
    return fail(Code::refused, fmt::format("reserved tasks are the operator's to give, not member {}'s", actor.name),
                "Leave 'reserved' out");
  return for_reserved;
}

Result<void> check_reserved(Scene& scene, const store::TaskRow& task, TeamId team, bool for_reserved, TaskUse use) {
  if (task.is_reserved == for_reserved) return {};
  if (for_reserved)
    return fail(Code::refused, fmt::format("task {} is not reserved", task.id.value), "Leave 'reserved' out");
  const auto text = TRY(scene.tables().tasks.text(team, task.id));
  return fail(Code::refused, fmt::format("task {} is reserved: {}", task.id.value, text.reserved),
              use == TaskUse::claim ? "It is given to you with your prompt; claim another, or none"
                                    : "Hand in your result as you were asked to; the task follows it by itself");
}

Result<void> check_reserved_transition(const store::TaskRow& task, TaskStatus to) {
  if (task.status == to && to != TaskStatus::deleted) return {};
  if (task.status != TaskStatus::deleted && to != TaskStatus::in_progress) return {};
  return fail(
      Code::refused,
      fmt::format("task {} is {} and cannot become {}", task.id.value, to_string(task.status), to_string(to)),
      task.status == TaskStatus::deleted ? "Create another" : "Claim it for a member; a task in progress has an owner");
}

Result<std::optional<std::string>> why_in(const Json& args, bool for_reserved) {
  auto why = TRY(optional_string_field(args, "why"));
  if (why && !for_reserved) return fail(Code::invalid, "'why' is for reserved tasks", "Put it into the metadata");
  return why;
}

Result<void> check_permanent(Scene& scene, TeamId team, std::string_view subject) {
  if (!subject.starts_with(kPermanent)) return {};
  TaskId after(0);
  for (;;) {
    const auto rows = TRY(scene.tables().tasks.page(team, {}, after, limits::kPageMaxRows));
    if (rows.empty()) return {};
    for (const auto& row : rows) {
      const auto text = TRY(scene.tables().tasks.text(team, row.id));
      if (text.subject.starts_with(kPermanent))
        return fail(Code::refused,
                    fmt::format("task {} is the permanent task of this team, and there is only one", row.id.value),
                    fmt::format("Read it with get_task {}, or give yours another subject", row.id.value));
    }
    after = rows.back().id;
  }
}

Result<void> take_back(Scene& scene, const Actor& actor, const store::TaskRow& task, const store::MemberRow& next) {
  const auto owner = TRY(scene.tables().members.get(*task.owner));
  const std::vector<TaskId> ids = {task.id};
  const std::string reason = fmt::format("given to {}", next.name);
  TRY_VOID(scene.store.record(TaskReleased{ids, owner ? owner->name : "", reason}, next.team, actor.name));
  return {};
}

}  // namespace teamster::team
