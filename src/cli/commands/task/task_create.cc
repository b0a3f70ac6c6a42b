#include <nlohmann/json.hpp>

#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/text/task_text.h"
#include "protocol/client/task_calls.h"

namespace teamster::cli::commands {
namespace {

Result<int> run_task_create(Context& context, const Arguments& arguments) {
  hub::CreateTask create{.team = arguments.value("team"),
                         .subject = arguments.value("SUBJECT"),
                         .description = arguments.optional_value("description"),
                         .metadata = arguments.optional_object("metadata")};
  for (const auto id : arguments.numbers("blocked-by")) create.blocked_by.emplace_back(id);
  if (context.wants_json()) return context.print_answer(std::move(create));
  context.print(task_text(context, TRY(context.ask(std::move(create)))));
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
