#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/text/answer_fields.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"

namespace teamster::cli::commands {
namespace {

Result<int> run_message_ack(Context& context, const Arguments& arguments) {
  Json args = arguments.fields({"team", "member", "mark"});
  args["ids"] = arguments.numbers("ID");
  const Json answer = TRY(context.write("message.ack", std::move(args)));
  if (context.wants_json())
    context.print_json(answer);
  else
    context.print(fmt::format("{}: {}\n", arguments.value("mark"), joined_in(answer, "acknowledged")));
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
                 .choices = {"seen", "acted"}}},
      .examples = {{"teamster message ack --team demo --member tester 41 42", "The work they asked for is done"}},
      .run = run_message_ack,
  };
}

}  // namespace teamster::cli::commands
