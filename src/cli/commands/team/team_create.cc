#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/text/printable.h"
#include "cli/text/team_text.h"
#include "env/processes.h"
#include "protocol/client/team_calls.h"

namespace teamster::cli::commands {
namespace {

// As this process sees it: the hub may be in another pid namespace.
Result<ProcessIdentity> owner_of(const Context& context, std::int64_t pid) {
  auto owner = context.outside().world().processes.identify(pid);
  if (!owner)
    return fail(Code::invalid, fmt::format("there is no process {} to own the team", pid),
                "Give the pid of a running process");
  return *std::move(owner);
}

Result<int> run_team_create(Context& context, const Arguments& arguments) {
  hub::CreateTeam create{.team = arguments.value("NAME"), .members = arguments.values("member")};
  if (const auto pid = arguments.optional_number("owner-pid")) create.owner = TRY(owner_of(context, *pid));
  if (context.wants_json()) return context.print_answer(std::move(create));
  const auto created = TRY(context.ask(std::move(create)));
  context.print(fmt::format("team {}\n{}", printable_line(created.team), new_members_text(created.members)));
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
