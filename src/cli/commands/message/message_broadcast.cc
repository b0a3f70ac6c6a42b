#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands/message/message_arguments.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/text/answer_fields.h"
#include "protocol/client/message_calls.h"
#include "protocol/words/message_kinds.h"

namespace teamster::cli::commands {
namespace {

Result<int> run_message_broadcast(Context& context, const Arguments& arguments) {
  hub::BroadcastMessage send{.team = arguments.value("team"), .text = {}};
  send.from = sender_of(context, arguments);
  send.text = TRY(message_of(context, arguments));
  if (context.wants_json()) return context.print_answer(std::move(send));
  const auto sent = TRY(context.ask(std::move(send)));
  context.print(fmt::format("sent to {}\n", joined_names(sent.to, "nobody")));
  return 0;
}

}  // namespace

Command message_broadcast() {
  return {
      .path = "message broadcast",
      .topic = "Messages",
      .summary = "Send a message to every live member but the sender",
      .description = "All get it or nobody does.",
      .hub = HubUse::writes,
      .positionals = {{.name = "TEXT", .help = "The body; - reads standard input"}},
      .flags =
          {team_flag(),
           {.name = "from",
            .value = "MEMBER",
            .type = ValueType::member,
            .help = "Who says it; otherwise the operator, or the token's member"},
           {.name = "kind", .value = "KIND", .help = "What it is; broadcast when not given", .choices = kinds_to_all()},
           {.name = "summary", .value = "TEXT", .help = "A few words for lists"},
           {.name = "priority",
            .value = "PRIORITY",
            .help = "How urgent; interrupt cuts the turns",
            .choices = {kPriorities.begin(), kPriorities.end()}}},
      .examples = {{"teamster message broadcast --team demo \"main is frozen until noon\"", "Tell everybody"}},
      .run = run_message_broadcast,
  };
}

}  // namespace teamster::cli::commands
