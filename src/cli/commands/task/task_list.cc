#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/text/answer_fields.h"
#include "cli/text/pages.h"
#include "cli/text/printable.h"
#include "cli/text/table.h"
#include "protocol/client/task_calls.h"

namespace teamster::cli::commands {
namespace {

Result<int> run_task_list(Context& context, const Arguments& arguments) {
  const hub::ListTasks list{.team = arguments.value("team"),
                            .status = task_status_from_string(arguments.value("status")),
                            .owner = arguments.value("owner")};
  if (context.wants_json()) return print_pages_as_json(context, paged_read(list));
  Table table({"ID", "STATUS", "OWNER", "WAITS FOR", "SUBJECT"});
  bool is_empty = true;
  const auto add = [&](const hub::Task& task) {
    is_empty = false;
    table.add({std::to_string(task.id.value), context.palette().status(to_string(task.status)),
               printable_line(task.owner.value_or("-")), joined_ids(task.waiting_for, "-"),
               printable_line(task.subject)});
  };
  TRY_VOID(visit_items(context, list, add));
  if (is_empty)
    context.note("no tasks\n");
  else
    context.print(table.text(context.columns()));
  return 0;
}

}  // namespace

Command task_list() {
  return {
      .path = "task list",
      .topic = "Tasks",
      .summary = "List a team's tasks",
      .description = "With status, owner and the blockers that are not completed yet.",
      .hub = HubUse::reads,
      .flags = {team_flag(),
                {.name = "status", .value = "STATUS", .help = "Only these", .choices = task_status_names()},
                {.name = "owner", .value = "MEMBER", .type = ValueType::member, .help = "Only those this member has"}},
      .examples = {{"teamster task list --team demo", "How far are we?"},
                   {"teamster task list --team demo --status failed --json", "What went wrong, for a script"}},
      .run = run_task_list,
  };
}

}  // namespace teamster::cli::commands
