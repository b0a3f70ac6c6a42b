#include <nlohmann/json.hpp>

#include "cli/text/answer_fields.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/framework/exit_code.h"
#include "cli/text/task_text.h"
#include "cli/framework/waiting.h"

namespace teamster::cli::commands {
namespace {

Result<int> run_task_claim(Context& context, const Arguments& arguments) {
  WriteOptions options;
  if (arguments.has("wait")) options.wait = TRY(waiting_time(arguments, "wait"));
  const Json answer = TRY(context.write("task.claim", arguments.fields({"team", "member", "ID"}), options));
  const Json& task = object_in(answer, "task");
  if (context.wants_json())
    context.print_json(answer);
  else if (task.empty())
    context.note("no task is free\n");
  else
    context.print(task_text(context, task));
  return task.empty() ? kExitNothing : kExitDone;
}

}  // namespace

Command task_claim() {
  return {
      .path = "task claim",
      .topic = "Tasks",
      .summary = "Take a task, so that nobody else does it",
      .description =
          "Takes the named task, or the next one that is free and not blocked. The token in the answer is "
          "needed to update it. The claim ends with the member's epoch. Exit code 1 when none is free.",
      .hub = HubUse::writes,
      .positionals = {{.name = "ID", .type = ValueType::id, .help = "A certain task", .required = false}},
      .flags = {team_flag(),
                member_flag("Who takes it"),
                {.name = "wait",
                 .value = "TIME",
                 .type = ValueType::duration,
                 .help = "Wait that long for one to be free, at most 24h"}},
      .examples = {{"teamster task claim --team demo --member tester --wait 30s", "The next task, when there is one"},
                   {"teamster task claim --team demo --member tester 3 --json | jq -r .task.token", "Task 3's token"}},
      .run = run_task_claim,
  };
}

}  // namespace teamster::cli::commands
