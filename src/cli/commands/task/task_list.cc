#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/text/answer_fields.h"
#include "cli/text/pages.h"
#include "cli/text/table.h"
#include "cli/text/task_text.h"

namespace teamster::cli::commands {
namespace {

Result<int> run_task_list(Context& context, const Arguments& arguments) {
  const PagedRead read{.op = "task.list", .args = arguments.fields({"team", "status", "owner"}), .list = "tasks"};
  if (context.wants_json()) return print_pages_as_json(context, read);
  Table table({"ID", "STATUS", "OWNER", "WAITS FOR", "SUBJECT"});
  bool is_empty = true;
  TRY_VOID(for_each_item(context, read, [&](const Json& task) {
    is_empty = false;
    const std::string owner = text_in(task, "owner");
    table.add({text_in(task, "id"), context.palette().status(text_in(task, "status")), owner.empty() ? "-" : owner,
               joined_in(task, "waiting_for", "-"), text_in(task, "subject")});
  }));
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
                {.name = "status", .value = "STATUS", .help = "Only these", .choices = task_statuses()},
                {.name = "owner", .value = "MEMBER", .type = ValueType::member, .help = "Only those this member has"}},
      .examples = {{"teamster task list --team demo", "How far are we?"},
                   {"teamster task list --team demo --status failed --json", "What went wrong, for a script"}},
      .run = run_task_list,
  };
}

}  // namespace teamster::cli::commands
