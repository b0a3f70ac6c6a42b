#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/text/answer_fields.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"

namespace teamster::cli::commands {
namespace {

Result<int> run_team_leave(Context& context, const Arguments& arguments) {
  const Json args = arguments.fields({"TEAM", "member", "reason"});
  const Json answer = TRY(context.write("team.leave", args));
  if (context.wants_json())
    context.print_json(answer);
  else
    context.print(fmt::format("{} left {}; released tasks: {}\n", text_in(object_in(answer, "member"), "name"),
                              text_in(answer, "team"), joined_in(answer, "released")));
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
