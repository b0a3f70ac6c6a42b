#include <nlohmann/json.hpp>

#include "cli/text/answer_fields.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/text/task_text.h"

namespace teamster::cli::commands {
namespace {

Result<int> run_task_get(Context& context, const Arguments& arguments) {
  const Json answer = TRY(context.read("task.get", arguments.fields({"team", "ID"})));
  if (context.wants_json())
    context.print_json(answer);
  else
    context.print(task_text(context, object_in(answer, "task")));
  return 0;
}

}  // namespace

Command task_get() {
  return {
      .path = "task get",
      .topic = "Tasks",
      .summary = "Show one task",
      .description = "With its description, metadata and what it waits for.",
      .hub = HubUse::reads,
      .positionals = {{.name = "ID", .type = ValueType::id, .help = "The task's number in its team"}},
      .flags = {team_flag()},
      .examples = {{"teamster task get --team demo 3", "What is task 3?"}},
      .run = run_task_get,
  };
}

}  // namespace teamster::cli::commands
