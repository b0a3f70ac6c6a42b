#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands/message/message_arguments.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/text/answer_fields.h"
#include "protocol/client/message_calls.h"

namespace teamster::cli::commands {
namespace {

Result<int> run_message_ack(Context& context, const Arguments& arguments) {
  hub::AcknowledgeMessages acknowledge{.team = arguments.value("team"), .member = arguments.value("member"), .ids = {}};
  acknowledge.mark = mark_of(arguments).value_or(Receipt::acted);
  for (const auto id : arguments.numbers("ID")) acknowledge.ids.emplace_back(id);
  if (context.wants_json()) return context.print_answer(std::move(acknowledge));
  const std::string mark(to_string(acknowledge.mark));
  const auto acknowledged = TRY(context.ask(std::move(acknowledge)));
  context.print(fmt::format("{}: {}\n", mark, joined_ids(acknowledged)));
  return 0;
}

}  // namespace

Command message_ack() {
  return {
      .path = "message ack",
      .topic = "Messages",
      .summary = "Say that messages were seen or acted on",
      .description = "Receipts only go forward: queued, delivered, seen, acted.",
      .hub = HubUse::writes,
      .positionals = {{.name = "ID", .type = ValueType::id, .help = "Ids of messages", .repeatable = true}},
      .flags = {team_flag(),
                member_flag("Who received them"),
                {.name = "mark",
                 .value = "RECEIPT",
                 .help = "What happened to them",
                 .fallback = "acted",
                 .choices = mark_choices()}},
      .examples = {{"teamster message ack --team demo --member tester 41 42", "The work they asked for is done"}},
      .run = run_message_ack,
  };
}

}  // namespace teamster::cli::commands
