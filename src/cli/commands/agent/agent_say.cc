#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands/agent/agent_options.h"
#include "cli/commands/agent/agent_presence.h"
#include "cli/framework/arguments.h"
#include "cli/framework/body.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/framework/exit_code.h"
#include "cli/framework/waiting.h"
#include "cli/text/agent_text.h"
#include "cli/text/event_text.h"
#include "cli/text/printable.h"
#include "env/clock.h"
#include "protocol/client/hub_calls.h"
#include "protocol/client/message_calls.h"
#include "protocol/words/message_kinds.h"
#include "protocol/words/team_records.h"

namespace teamster::cli::commands {
namespace {

// Whether it is the end of the turn that took the message.
bool ends_turn_of(const MemberTurn& turn, const std::string& member, MessageId message) {
  if (turn.member != member || turn.is_running || !turn.account.messages) return false;
  const auto& ids = *turn.account.messages;
  return std::find(ids.begin(), ids.end(), message) != ids.end();
}

// Parked at the journal until the turn has ended; nullopt when the time is up.
Result<std::optional<MemberTurn>> wait_for_turn(Context& context, const Arguments& arguments, MessageId message,
                                                Duration timeout) {
  const env::Clock& clock = context.outside().world().clock;
  const Instant until = clock.now() + timeout;
  const std::string member = arguments.value("member");
  const std::string team = TRY(ref_of_team(context, arguments.value("team")));
  hub::ReadJournal read{.team = team, .after = message.value};
  while (clock.now() < until) {
    // Now and then we look whether anybody is left to answer.
    const Duration wait = std::min<Duration>(until - clock.now(), std::chrono::seconds(5));
    const auto page = TRY(context.ask(read, {.wait = wait}));
    for (const auto& event : page.items) {
      if (event.kind != MemberTurn::kKind) continue;
      MemberTurn turn = MemberTurn::read(event.body);
      if (ends_turn_of(turn, member, message)) return std::optional(std::move(turn));
    }
    read.after = page.last;
    if (page.items.empty()) TRY_VOID(require_host(context, team, member));
  }
  return std::optional<MemberTurn>();
}

Result<int> show(Context& context, MessageId message, const TurnAccount& turn) {
  const std::string fault = turn.fault.value_or("");
  const std::string error = fault.empty() ? turn.error.value_or("") : fault + ": " + turn.error.value_or("");
  if (context.wants_json()) {
    Json document = {{"id", message.value},
                     {"turn", turn.turn.value_or(0)},
                     {"text", turn.text.value_or("")},
                     {"usage", turn.usage ? usage_document(turn.usage->json()) : Json::object()}};
    if (turn.result) document["result"] = *turn.result;
    if (!error.empty()) document["error"] = error;
    context.print_json(document);
    return error.empty() ? kExitDone : kExitNothing;
  }
  if (!turn.text.value_or("").empty()) context.print(printable_block(*turn.text, ""));
  if (turn.result) context.print_as_it_is(printable_block(dump_json_pretty(*turn.result), ""));
  if (!error.empty())
    return fail(Code::failed, fmt::format("the turn failed: {}", printable_line(error)),
                "The message stays in its inbox and is told again");
  return kExitDone;
}

Result<int> run_agent_say(Context& context, const Arguments& arguments) {
  const std::string team = TRY(ref_of_team(context, arguments.value("team")));
  const std::string member = arguments.value("member");
  const Duration timeout = TRY(waiting_time(arguments, "timeout"));
  hub::SendMessage send{.team = team, .to = member, .text = {}};
  send.text.body = TRY(read_body(context, arguments.value("TEXT")));
  if (arguments.has("interrupt")) send.text.priority = priority::kInterrupt;
  if (arguments.has("schema")) send.schema = TRY(read_schema(context, arguments.value("schema")));
  TRY_VOID(require_host(context, team, member));
  const Json answer = TRY(context.ask_for_document(std::move(send)));
  const MessageId id = TRY(hub::read_answer<hub::SendMessage>(answer)).id;
  if (arguments.has("no-wait")) {
    if (context.wants_json())
      context.print_json(answer);
    else
      context.print(fmt::format("message {} to {}\n", id.value, member));
    return kExitDone;
  }
  const auto turn = TRY(wait_for_turn(context, arguments, id, timeout));
  if (!turn)
    return fail(Code::failed, fmt::format("{} has not answered message {} yet", member, id.value),
                fmt::format("See how far it is: `teamster message receipt --team {} {}`, or wait longer with --timeout",
                            team, id.value));
  return show(context, id, turn->account);
}

}  // namespace

Command agent_say() {
  return {
      .path = "agent say",
      .topic = "Agents",
      .summary = "Tell a running agent something and show what it answers",
      .description =
          "The text goes to the member as a message from the operator: it starts a turn when the agent is idle, and "
          "becomes part of the running one when it works. Waits for the end of the turn that deals with it: after a "
          "crash "
          "that is a turn of the resumed agent, which is told again.",
      .hub = HubUse::writes,
      .positionals = {{.name = "TEXT", .help = "What to say; - reads standard input"}},
      .flags = {team_flag(),
                named_member_flag("To whom"),
                {.name = "interrupt", .help = "Cut the running turn"},
                {.name = "schema",
                 .value = "FILE",
                 .type = ValueType::file,
                 .help = "JSON Schema that the answer has to conform to"},
                {.name = "no-wait", .help = "Do not wait for the answer"},
                {.name = "timeout",
                 .value = "TIME",
                 .type = ValueType::duration,
                 .help = "How long to wait",
                 .fallback = "1h"}},
      .examples = {{"teamster agent say --team demo --member builder 'Run the tests'", "Say it and see the answer"},
                   {"teamster agent say --team demo --member builder --interrupt 'Stop that, read the spec again'",
                    "At once, not when it is done"}},
      .run = run_agent_say,
  };
}

}  // namespace teamster::cli::commands
