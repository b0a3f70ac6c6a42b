#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands/message/message_arguments.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/framework/exit_code.h"
#include "cli/framework/waiting.h"
#include "cli/text/message_text.h"
#include "protocol/client/message_calls.h"

namespace teamster::cli::commands {
namespace {

Result<int> run_message_wait(Context& context, const Arguments& arguments) {
  const Duration timeout = TRY(waiting_time(arguments, "timeout"));
  hub::WaitForMessages wait{
      .team = arguments.value("team"), .member = arguments.value("member"), .mark = mark_of(arguments)};
  const Json answer = TRY(context.ask_for_document(std::move(wait), {.wait = timeout}));
  const auto messages = TRY(hub::read_answer<hub::WaitForMessages>(answer));
  if (context.wants_json()) {
    context.print_json(answer);
  } else {
    for (const auto& message : messages) context.print(message_text(context, message));
    if (messages.empty()) context.note(fmt::format("no message within {}\n", describe_duration(timeout)));
  }
  return messages.empty() ? kExitNothing : kExitDone;
}

}  // namespace

Command message_wait() {
  return {
      .path = "message wait",
      .topic = "Messages",
      .summary = "Wait until a member has messages, and take them",
      .description =
          "Returns all queued messages at once when there are any; otherwise it is woken by the next one. "
          "Exit code 1 when none came in time.",
      .hub = HubUse::writes,
      .flags = {team_flag(),
                member_flag("Whose messages; `operator` is you"),
                {.name = "timeout",
                 .value = "TIME",
                 .type = ValueType::duration,
                 .help = "How long, at most 24h",
                 .fallback = "60s"},
                {.name = "mark", .value = "RECEIPT", .help = "Mark them, too", .choices = mark_choices()}},
      .examples = {{"teamster message wait --team demo --member tester --timeout 5m --mark seen",
                    "Sleep until work comes"},
                   {"teamster message wait --team demo --member operator --json | jq -r '.messages[].body'",
                    "Print the next text sent to you"}},
      .run = run_message_wait,
  };
}

}  // namespace teamster::cli::commands
