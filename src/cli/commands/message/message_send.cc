#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands/message/message_arguments.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "protocol/client/message_calls.h"
#include "protocol/words/message_kinds.h"

namespace teamster::cli::commands {
namespace {

Result<int> run_message_send(Context& context, const Arguments& arguments) {
  hub::SendMessage send{.team = arguments.value("team"), .to = arguments.value("to"), .text = {}};
  send.from = sender_of(context, arguments);
  send.text = TRY(message_of(context, arguments));
  if (context.wants_json()) return context.print_answer(std::move(send));
  const auto sent = TRY(context.ask(std::move(send)));
  context.print(fmt::format("#{} {}\n", sent.id.value, to_string(sent.receipt)));
  return 0;
}

}  // namespace

Command message_send() {
  return {
      .path = "message send",
      .topic = "Messages",
      .summary = "Send a message to one member",
      .description =
          "Returns when the message is on disk. A message to a member that is unknown or gone is refused. "
          "The operator may speak for a member with --from; that is recorded.",
      .hub = HubUse::writes,
      .positionals = {{.name = "TEXT", .help = "The body; - reads standard input"}},
      .flags = {team_flag(),
                {.name = "to",
                 .value = "MEMBER",
                 .type = ValueType::member,
                 .help = "Who gets it; `operator` is you",
                 .required = Required::yes},
                {.name = "from",
                 .value = "MEMBER",
                 .type = ValueType::member,
                 .help = "Who says it; otherwise the operator, or the token's member"},
                {.name = "kind", .value = "KIND", .help = "What it is", .choices = kinds_to_one()},
                {.name = "summary", .value = "TEXT", .help = "A few words for lists"},
                {.name = "priority",
                 .value = "PRIORITY",
                 .help = "How urgent; interrupt cuts the turn",
                 .choices = {kPriorities.begin(), kPriorities.end()}}},
      .examples = {{"teamster message send --team demo --to lead \"The build is green\"", "Tell the lead something"},
                   {"git diff | teamster message send --team demo --to reviewer --summary diff -", "Send a diff"}},
      .run = run_message_send,
  };
}

}  // namespace teamster::cli::commands
