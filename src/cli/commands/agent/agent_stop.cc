#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands/agent/agent_presence.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/framework/exit_code.h"
#include "cli/framework/waiting.h"
#include "cli/text/answer_fields.h"
#include "keeper/kept_processes.h"
#include "protocol/client/team_calls.h"

namespace teamster::cli::commands {
namespace {

// A member that acts by commands of its own has no agent that could be stopped, and stays in its team.
Result<void> check_that_it_ran(const Context& context, const std::string& team, const std::string& member,
                               const Presence& presence) {
  if (presence.host_lives) return {};
  const hub::TeamStatus status = TRY(context.ask(hub::GetTeamStatus{team}));
  const hub::TeamMember* found = status.member(member);
  // What the hub does not know, or knows as gone, it refuses in its own words.
  if (found == nullptr || !found->is_live) return {};
  if (presence.record && presence.record->epoch == found->epoch.value) return {};
  return fail(Code::refused, fmt::format("no agent runs as member {} of team {}", member, team),
              fmt::format("Take the member out: `teamster team leave {} --member {}`", team, member));
}

Result<int> run_agent_stop(Context& context, const Arguments& arguments) {
  const std::string team = TRY(ref_of_team(context, arguments.value("team")));
  const std::string member = arguments.value("member");
  const Duration timeout = TRY(waiting_time(arguments, "timeout"));
  const auto presence = TRY(presence_of(context, team, member));
  TRY_VOID(check_that_it_ran(context, team, member, presence));
  const auto left = TRY(context.ask(hub::LeaveTeam{.team = team, .member = member, .reason = "stopped"}));
  bool is_gone = true;
  if (presence.host_lives)
    is_gone =
        TRY(wait_for_presence(context, team, member, timeout, [](const Presence& now) { return !now.host_lives; }));
  // Of a host that died with its keeper something may be left.
  if (!presence.host_lives) keeper::end_leftovers(context.outside().world().processes);
  Json released = Json::array();
  for (const TaskId id : left.released) released.push_back(id.value);
  if (context.wants_json())
    context.print_json({{"team", team}, {"member", member}, {"stopped", is_gone}, {"released", std::move(released)}});
  else
    context.print(fmt::format("{} of team {} {}\n", member, team, is_gone ? "has stopped" : "is stopping"));
  return is_gone ? kExitDone : kExitNothing;
}

}  // namespace

Command agent_stop() {
  return {
      .path = "agent stop",
      .topic = "Agents",
      .summary = "Stop an agent and everything it started",
      .description =
          "Ends the member's epoch; its host cuts the running turn and ends the process. Its tasks are free again, its "
          "messages stay, and its conversation is taken up when it is started again. A member that no agent was "
          "started "
          "for is left as it is.",
      .hub = HubUse::writes,
      .flags = {team_flag(),
                named_member_flag("The member"),
                {.name = "timeout",
                 .value = "TIME",
                 .type = ValueType::duration,
                 .help = "How long to wait for its end",
                 .fallback = "20s"}},
      .examples = {{"teamster agent stop --team demo --member builder", "End it and wait until nothing is left"}},
      .run = run_agent_stop,
  };
}

}  // namespace teamster::cli::commands
