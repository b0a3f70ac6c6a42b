#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/text/team_text.h"
#include "protocol/client/team_calls.h"

namespace teamster::cli::commands {
namespace {

Result<int> run_team_join(Context& context, const Arguments& arguments) {
  const hub::JoinTeam join{arguments.value("TEAM"), arguments.value("member")};
  if (context.wants_json()) return context.print_answer(join);
  const auto joined = TRY(context.ask(join));
  context.print(fmt::format("team {}\n{}", join.team, new_members_text({joined})));
  return 0;
}

}  // namespace

Command team_join() {
  return {
      .path = "team join",
      .topic = "Teams",
      .summary = "Add a member, or replace one by a new epoch of it",
      .description =
          "When a member of that name lives, its epoch ends: its tasks are free again and what its old "
          "token still sends is refused.",
      .hub = HubUse::writes,
      .positionals = {{.name = "TEAM", .type = ValueType::team, .help = "The team"}},
      .flags = {named_member_flag("The member's name")},
      .examples = {{"teamster team join demo --member builder", "A third member, or a second life of the old one"}},
      .run = run_team_join,
  };
}

}  // namespace teamster::cli::commands
