// Rules of reserved tasks: those that are handed out by who made them, as the engine of a run does with its items. They
// stand on the list, block and are blocked like any other; only the operator who says `reserved` gives one to a member
// or changes it, and a member that tries is told why not. Used by the rules of the task list, before they record.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "store/task_row.h"
#include "team/operation.h"

namespace teamster::team {

// Why a new task is reserved (args.reserved); empty: anybody may claim it. A member reserves nothing.
Result<std::string> reserved_text_in(const Actor& actor, const Json& args);

// Whether the request means a reserved task (args.reserved). Only the operator's may.
Result<bool> is_for_reserved(const Actor& actor, const Json& args);

enum class TaskUse { claim, update };
// Refuses a reserved task to who did not ask for one, with the reason, and any other to who did.
Result<void> check_reserved(Scene& scene, const store::TaskRow& task, TeamId team, bool for_reserved, TaskUse use);

// From any status but deleted to any other; in_progress is made by a claim, which has an owner.
Result<void> check_reserved_transition(const store::TaskRow& task, TaskStatus to);

// What is to stand under `why` in the metadata of a reserved task (args.why).
Result<std::optional<std::string>> why_in(const Json& args, bool for_reserved);

// A team has one permanent task, whose subject begins so: where its state is, there is no second.
inline constexpr std::string_view kPermanent = "[PERMANENT]";
// Refuses a subject that would be a second one, and names the first.
Result<void> check_permanent(Scene& scene, TeamId team, std::string_view subject);

// Takes a held task from its owner, because `next` is to have it.
Result<void> take_back(Scene& scene, const Actor& actor, const store::TaskRow& task, const store::MemberRow& next);

}  // namespace teamster::team
