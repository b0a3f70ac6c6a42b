#include <nlohmann/json.hpp>

#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/text/task_text.h"
#include "protocol/client/task_calls.h"

namespace teamster::cli::commands {
namespace {

Result<int> run_task_get(Context& context, const Arguments& arguments) {
  const hub::GetTask get{arguments.value("team"), TaskId(arguments.number("ID"))};
  if (context.wants_json()) return context.print_answer(get);
  context.print(task_text(context, TRY(context.ask(get))));
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
