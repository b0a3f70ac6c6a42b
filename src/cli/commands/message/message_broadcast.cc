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

Result<int> run_message_broadcast(Context& context, const Arguments& arguments) {
  Json args = arguments.fields({"team", "from", "kind", "summary", "priority"});
  if (!args.contains("from") && !context.acts_as_member()) args["from"] = "operator";
  args["body"] = TRY(read_body(context, arguments.value("TEXT")));
  const Json answer = TRY(context.write("message.broadcast", std::move(args)));
  if (context.wants_json())
    context.print_json(answer);
  else
    context.print(fmt::format("sent to {}\n", joined_in(answer, "to", "nobody")));
  return 0;
}

std::vector<std::string> kinds() {
  auto kinds = message_kinds();
  kinds.insert(kinds.begin(), "broadcast");
  return kinds;
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
      .flags = {team_flag(),
                {.name = "from",
                 .value = "MEMBER",
                 .type = ValueType::member,
                 .help = "Who says it; otherwise the operator, or the token's member"},
                {.name = "kind", .value = "KIND", .help = "What it is; broadcast when not given", .choices = kinds()},
                {.name = "summary", .value = "TEXT", .help = "A few words for lists"},
                {.name = "priority",
                 .value = "PRIORITY",
                 .help = "How urgent; interrupt cuts the turns",
                 .choices = {"normal", "interrupt"}}},
      .examples = {{"teamster message broadcast --team demo \"main is frozen until noon\"", "Tell everybody"}},
      .run = run_message_broadcast,
  };
}

}  // namespace teamster::cli::commands
