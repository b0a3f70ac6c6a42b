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
#include "cli/text/answer_fields.h"
#include "cli/text/event_text.h"
#include "cli/text/printable.h"
#include "env/clock.h"

namespace teamster::cli::commands {
namespace {

// The end of the turn that took the message, if this event is it.
bool answers(const Json& event, const std::string& member, std::int64_t message) {
  const Json& body = object_in(event, "body");
  if (raw_text_in(event, "kind") != "member.turn" || raw_text_in(body, "member") != member || flag_in(body, "running"))
    return false;
  const Json& ids = list_in(body, "messages");
  return std::find(ids.begin(), ids.end(), Json(message)) != ids.end();
}

// Parked at the journal until the turn has ended; nullopt when the time is up.
Result<std::optional<Json>> wait_for_turn(Context& context, const Arguments& arguments, std::int64_t message,
                                          Duration timeout) {
  const env::Clock& clock = context.outside().world().clock;
  const Instant until = clock.now() + timeout;
  const std::string member = arguments.value("member");
  Json args = {{"team", arguments.value("team")}, {"after", message}};
  while (clock.now() < until) {
    // Now and then we look whether anybody is left to answer.
    const Duration wait = std::min<Duration>(until - clock.now(), std::chrono::seconds(5));
    const Json answer = TRY(context.read("journal.read", args, wait));
    for (const auto& event : list_in(answer, "events")) {
      args["after"] = number_in(event, "seq");
      if (answers(event, member, message)) return std::optional<Json>(object_in(event, "body"));
    }
    if (list_in(answer, "events").empty()) TRY_VOID(require_host(context, arguments.value("team"), member));
  }
  return std::optional<Json>();
}

Result<int> show(Context& context, std::int64_t message, const Json& turn) {
  const std::string fault = raw_text_in(turn, "fault");
  const std::string error = fault.empty() ? raw_text_in(turn, "error") : fault + ": " + raw_text_in(turn, "error");
  if (context.wants_json()) {
    Json document = {{"id", message},
                     {"turn", number_in(turn, "turn")},
                     {"text", raw_text_in(turn, "text")},
                     {"usage", usage_document(object_in(turn, "usage"))}};
    if (turn.contains("result")) document["result"] = turn["result"];
    if (!error.empty()) document["error"] = error;
    context.print_json(document);
    return error.empty() ? kExitDone : kExitNothing;
  }
  if (!raw_text_in(turn, "text").empty()) context.print(printable_block(raw_text_in(turn, "text"), ""));
  if (turn.contains("result")) context.print_as_it_is(printable_block(dump_json_pretty(turn["result"]), ""));
  if (!error.empty())
    return fail(Code::failed, fmt::format("the turn failed: {}", printable_line(error)),
                "The message stays in its inbox and is told again");
  return kExitDone;
}

Result<int> run_agent_say(Context& context, const Arguments& arguments) {
  const std::string team = arguments.value("team");
  const std::string member = arguments.value("member");
  const Duration timeout = TRY(waiting_time(arguments, "timeout"));
  Json args = {{"team", team}, {"to", member}};
  args["body"] = TRY(read_body(context, arguments.value("TEXT")));
  if (arguments.has("interrupt")) args["priority"] = "interrupt";
  if (arguments.has("schema")) args["schema"] = TRY(read_schema(context, arguments.value("schema")));
  TRY_VOID(require_host(context, team, member));
  const Json sent = TRY(context.write("message.send", std::move(args)));
  const std::int64_t id = number_in(sent, "id");
  if (arguments.has("no-wait")) {
    if (context.wants_json())
      context.print_json(sent);
    else
      context.print(fmt::format("message {} to {}\n", id, member));
    return kExitDone;
  }
  const auto turn = TRY(wait_for_turn(context, arguments, id, timeout));
  if (!turn)
    return fail(Code::failed, fmt::format("{} has not answered message {} yet", member, id),
                fmt::format("See how far it is: `teamster message receipt --team {} {}`, or wait longer with --timeout",
                            team, id));
  return show(context, id, *turn);
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
