#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/text/answer_fields.h"
#include "cli/text/printable.h"
#include "protocol/client/team_calls.h"

namespace teamster::cli::commands {
namespace {

Result<int> run_team_leave(Context& context, const Arguments& arguments) {
  const hub::LeaveTeam leave{.team = arguments.value("TEAM"),
                             .member = arguments.value("member"),
                             .reason = arguments.optional_value("reason")};
  if (context.wants_json()) return context.print_answer(leave);
  const auto left = TRY(context.ask(leave));
  context.print(fmt::format("{} left {}; released tasks: {}\n", printable_line(left.member), leave.team,
                            joined_ids(left.released)));
  return 0;
}

}  // namespace

Command team_leave() {
  return {
      .path = "team leave",
      .topic = "Teams",
      .summary = "End a member's epoch",
      .description = "Its tasks are free again, messages to it are refused, its token is worth nothing.",
      .hub = HubUse::writes,
      .positionals = {{.name = "TEAM", .type = ValueType::team, .help = "The team"}},
      .flags = {named_member_flag("The member's name"),
                {.name = "reason", .value = "TEXT", .help = "Why, for the journal"}},
      .examples = {{"teamster team leave demo --member builder --reason \"crashed twice\"", "Take a member out"}},
      .run = run_team_leave,
  };
}

}  // namespace teamster::cli::commands
