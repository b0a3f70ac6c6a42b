#include <nlohmann/json.hpp>

#include "cli/commands/message/message_arguments.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/text/message_text.h"
#include "cli/text/pages.h"
#include "protocol/client/message_calls.h"

namespace teamster::cli::commands {
namespace {

Result<int> run_message_inbox(Context& context, const Arguments& arguments) {
  const hub::ReadInbox read{.team = arguments.value("team"),
                            .member = arguments.value("member"),
                            .all = arguments.has("all"),
                            .mark = mark_of(arguments)};
  const auto limit = arguments.optional_number("limit");
  if (context.wants_json()) return print_pages_as_json(context, paged_read(read, limit));
  bool is_empty = true;
  const auto show = [&](const hub::Message& message) {
    is_empty = false;
    context.print(message_text(context, message));
  };
  TRY_VOID(visit_items(context, read, show, limit));
  if (is_empty) context.note("no messages\n");
  return 0;
}

}  // namespace

Command message_inbox() {
  return {
      .path = "message inbox",
      .topic = "Messages",
      .summary = "Show and take a member's messages",
      .description =
          "Oldest first. Queued messages are delivered by this. A delivered message that is not marked as "
          "seen comes again, and becomes a dead letter in the end.",
      .hub = HubUse::writes,
      .flags = {team_flag(),
                member_flag("Whose inbox; `operator` is yours"),
                {.name = "all", .help = "Also those that were seen or acted on"},
                {.name = "mark", .value = "RECEIPT", .help = "Mark them, too", .choices = mark_choices()},
                {.name = "limit", .value = "N", .type = ValueType::id, .help = "At most N messages"}},
      .examples = {{"teamster message inbox --team demo --member lead --mark seen", "Read what is new"},
                   {"teamster message inbox --team demo --member operator --all --json", "Everything sent to you"}},
      .run = run_message_inbox,
  };
}

}  // namespace teamster::cli::commands
