#include <nlohmann/json.hpp>

#include "cli/text/answer_fields.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/text/message_text.h"

namespace teamster::cli::commands {
namespace {

Result<int> run_message_receipt(Context& context, const Arguments& arguments) {
  const Json answer = TRY(context.read("message.receipt", arguments.fields({"team", "ID"})));
  if (context.wants_json())
    context.print_json(answer);
  else
    context.print(receipt_text(object_in(answer, "message")));
  return 0;
}

}  // namespace

Command message_receipt() {
  return {
      .path = "message receipt",
      .topic = "Messages",
      .summary = "Show how far a message got",
      .description = "queued, delivered, seen, acted, or dead when it was never seen.",
      .hub = HubUse::reads,
      .positionals = {{.name = "ID", .type = ValueType::id, .help = "Id of the message"}},
      .flags = {team_flag()},
      .examples = {{"teamster message receipt --team demo 41", "Did the tester act on it?"}},
      .run = run_message_receipt,
  };
}

}  // namespace teamster::cli::commands
