#include <nlohmann/json.hpp>

#include "cli/text/answer_fields.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/text/task_text.h"

namespace teamster::cli::commands {
namespace {

Result<int> run_task_create(Context& context, const Arguments& arguments) {
  const Json args = arguments.fields({"team", "SUBJECT", "description", "blocked-by", "metadata"});
  const Json answer = TRY(context.write("task.create", args));
  if (context.wants_json())
    context.print_json(answer);
  else
    context.print(task_text(context, object_in(answer, "task")));
  return 0;
}

}  // namespace

Command task_create() {
  return {
      .path = "task create",
      .topic = "Tasks",
      .summary = "Add a task to a team's list",
      .description = "A task is not handed out before all its blockers are completed. A cycle of blockers is refused.",
      .hub = HubUse::writes,
      .positionals = {{.name = "SUBJECT", .help = "What is to be done, in one line"}},
      .flags = {team_flag(),
                {.name = "description", .value = "TEXT", .help = "Everything the one who does it must know"},
                {.name = "blocked-by",
                 .value = "ID",
                 .type = ValueType::id,
                 .help = "A task that must be completed first",
                 .repeatable = true},
                {.name = "metadata", .value = "JSON", .type = ValueType::json_object, .help = "An object of your own"}},
      .examples = {{"teamster task create --team demo \"Write the parser\"", "A task that can start at once"},
                   {"teamster task create --team demo \"Fuzz the parser\" --blocked-by 1 --metadata '{\"size\":\"s\"}'",
                    "One that waits for it"}},
      .run = run_task_create,
  };
}

}  // namespace teamster::cli::commands
