#include <nlohmann/json.hpp>

#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/text/message_text.h"
#include "protocol/client/message_calls.h"

namespace teamster::cli::commands {
namespace {

Result<int> run_message_receipt(Context& context, const Arguments& arguments) {
  const hub::GetReceipt get{arguments.value("team"), MessageId(arguments.number("ID"))};
  if (context.wants_json()) return context.print_answer(get);
  context.print(receipt_text(TRY(context.ask(get))));
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
