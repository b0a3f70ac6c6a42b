#include <nlohmann/json.hpp>

#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/text/task_text.h"
#include "protocol/client/task_calls.h"

namespace teamster::cli::commands {
namespace {

Result<int> run_task_update(Context& context, const Arguments& arguments) {
  hub::UpdateTask update{.team = arguments.value("team"),
                         .id = TaskId(arguments.number("ID")),
                         .member = arguments.value("member"),
                         .token = arguments.value("token"),
                         .status = task_status_from_string(arguments.value("status")),
                         .subject = arguments.optional_value("subject"),
                         .description = arguments.optional_value("description"),
                         .metadata = arguments.optional_object("metadata")};
  for (const auto id : arguments.numbers("blocked-by")) update.add_blocked_by.emplace_back(id);
  const bool changes_something =
      update.status || update.subject || update.description || update.metadata || !update.add_blocked_by.empty();
  if (!changes_something)
    return fail(Code::invalid, "nothing to update",
                "Give --status, --subject, --description, --metadata or --blocked-by");
  if (context.wants_json()) return context.print_answer(std::move(update));
  context.print(task_text(context, TRY(context.ask(std::move(update)))));
  return 0;
}

}  // namespace

Command task_update() {
  return {
      .path = "task update",
      .topic = "Tasks",
      .summary = "Change a task",
      .description =
          "A claimed task needs the token of its claim. in_progress is reached by `task claim` alone; "
          "completed and deleted are final; failed may go back to pending.",
      .hub = HubUse::writes,
      .positionals = {{.name = "ID", .type = ValueType::id, .help = "The task's number in its team"}},
      .flags = {team_flag(),
                {.name = "status", .value = "STATUS", .help = "The new status", .choices = task_status_names()},
                {.name = "token", .value = "TOKEN", .help = "What `task claim` gave"},
                {.name = "subject", .value = "TEXT", .help = "A new subject"},
                {.name = "description", .value = "TEXT", .help = "A new description"},
                {.name = "metadata",
                 .value = "JSON",
                 .type = ValueType::json_object,
                 .help = "An object that is merged in; null deletes a field"},
                {.name = "blocked-by",
                 .value = "ID",
                 .type = ValueType::id,
                 .help = "One more task that must be completed first",
                 .repeatable = true},
                {.name = "member", .value = "MEMBER", .type = ValueType::member, .help = "Who updates it"}},
      .examples = {{"teamster task update --team demo 3 --token \"$TOKEN\" --status completed", "Done"},
                   {"teamster task update --team demo 4 --blocked-by 3", "Task 4 has to wait for it"}},
      .run = run_task_update,
  };
}

}  // namespace teamster::cli::commands
