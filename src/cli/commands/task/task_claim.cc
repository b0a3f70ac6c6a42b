#include <nlohmann/json.hpp>

#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/framework/exit_code.h"
#include "cli/framework/waiting.h"
#include "cli/text/task_text.h"
#include "protocol/client/task_calls.h"

namespace teamster::cli::commands {
namespace {

Result<int> run_task_claim(Context& context, const Arguments& arguments) {
  WriteOptions options;
  if (arguments.has("wait")) options.wait = TRY(waiting_time(arguments, "wait"));
  hub::ClaimTask claim{.team = arguments.value("team"), .member = arguments.value("member")};
  if (const auto id = arguments.optional_number("ID")) claim.id = TaskId(*id);
  const Json answer = TRY(context.ask_for_document(std::move(claim), std::move(options)));
  const auto task = TRY(hub::read_answer<hub::ClaimTask>(answer));
  if (context.wants_json())
    context.print_json(answer);
  else if (task)
    context.print(task_text(context, *task));
  else
    context.note("no task is free\n");
  return task ? kExitDone : kExitNothing;
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
