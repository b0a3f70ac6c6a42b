#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/text/answer_fields.h"
#include "cli/framework/arguments.h"
#include "cli/framework/body.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/text/message_text.h"

namespace teamster::cli::commands {
namespace {

Result<int> run_message_send(Context& context, const Arguments& arguments) {
  Json args = arguments.fields({"team", "from", "to", "kind", "summary", "priority"});
  if (!args.contains("from") && !context.acts_as_member()) args["from"] = "operator";
  args["body"] = TRY(read_body(context, arguments.value("TEXT")));
  const Json answer = TRY(context.write("message.send", std::move(args)));
  if (context.wants_json())
    context.print_json(answer);
  else
    context.print(fmt::format("#{} {}\n", text_in(answer, "id"), text_in(answer, "receipt")));
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
                {.name = "kind", .value = "KIND", .help = "What it is", .choices = message_kinds()},
                {.name = "summary", .value = "TEXT", .help = "A few words for lists"},
                {.name = "priority",
                 .value = "PRIORITY",
                 .help = "How urgent; interrupt cuts the turn",
                 .choices = {"normal", "interrupt"}}},
      .examples = {{"teamster message send --team demo --to lead \"The build is green\"", "Tell the lead something"},
                   {"git diff | teamster message send --team demo --to reviewer --summary diff -", "Send a diff"}},
      .run = run_message_send,
  };
}

}  // namespace teamster::cli::commands
