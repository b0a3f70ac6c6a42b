#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/text/answer_fields.h"
#include "cli/text/team_text.h"

namespace teamster::cli::commands {
namespace {

Result<int> run_team_create(Context& context, const Arguments& arguments) {
  Json args = arguments.fields({"owner-pid"});
  args["team"] = arguments.value("NAME");
  args["members"] = arguments.values("member");
  const Json answer = TRY(context.write("team.create", std::move(args)));
  if (context.wants_json())
    context.print_json(answer);
  else
    context.print(fmt::format("team {}\n{}", text_in(answer, "team"), new_members_text(list_in(answer, "members"))));
  return 0;
}

}  // namespace

Command team_create() {
  return {
      .path = "team create",
      .topic = "Teams",
      .summary = "Create a team with its members",
      .description = "Each member gets a token file; whoever can read it can act as that member and as nobody else.",
      .hub = HubUse::writes,
      .positionals = {{.name = "NAME", .type = ValueType::new_team, .help = "The team's name: a-z, 0-9 and '-'"}},
      .flags = {named_members_flag("A member's name"),
                {.name = "owner-pid",
                 .value = "PID",
                 .type = ValueType::id,
                 .help = "The process the team belongs to; once that has gone the team is an orphan"}},
      .examples = {{"teamster team create demo --member lead --member tester", "A team of two"},
                   {"teamster team create demo --member lead --owner-pid $$ --json", "One that belongs to this shell"}},
      .run = run_team_create,
  };
}

}  // namespace teamster::cli::commands
