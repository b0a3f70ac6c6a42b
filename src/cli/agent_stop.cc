#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/agent_presence.h"
#include "cli/answer.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/exit_code.h"
#include "cli/waiting.h"
#include "env/loop.h"
#include "keeper/kept_processes.h"

namespace teamster::cli::commands {
namespace {

// Waits until its host has ended it; false when the time is up.
Result<bool> wait_until_gone(const Context& context, const std::string& team, const std::string& member,
                             Duration timeout) {
  const env::World world = context.outside().world();
  bool is_gone = false;
  bool is_late = false;
  bool look = true;
  env::Timer next;
  const env::Timer deadline = world.loop.after(timeout, [&] { is_late = true; });
  Result<void> outcome;
  world.loop.run_until([&] {
    if (std::exchange(look, false)) {
      const auto presence = presence_of(context, team, member);
      if (!presence) outcome = fail(presence.error());
      is_gone = !presence || !presence->host_lives;
      next = world.loop.after(std::chrono::milliseconds(10), [&] { look = true; });
    }
    return is_gone || is_late;
  });
  if (!outcome) return fail(outcome.error());
  return is_gone;
}

Result<int> run(Context& context, const Arguments& arguments) {
  const std::string team = arguments.value("team");
  const std::string member = arguments.value("member");
  const Duration timeout = TRY(waiting_time(arguments, "timeout"));
  const auto presence = TRY(presence_of(context, team, member));
  const Json left = TRY(context.write("team.leave", {{"team", team}, {"member", member}, {"reason", "stopped"}}));
  const bool is_gone = TRY(wait_until_gone(context, team, member, timeout));
  // Of a host that died with its keeper something may be left.
  if (!presence.host_lives) keeper::end_leftovers(context.outside().world().processes);
  if (context.wants_json())
    context.print_json(
        {{"team", team}, {"member", member}, {"stopped", is_gone}, {"released", list_in(left, "released")}});
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
          "messages stay, and its conversation is taken up when it is started again.",
      .hub = HubUse::writes,
      .flags = {team_flag(),
                {.name = "member",
                 .value = "MEMBER",
                 .type = ValueType::member,
                 .help = "The member",
                 .required = Required::yes},
                {.name = "timeout",
                 .value = "TIME",
                 .type = ValueType::duration,
                 .help = "How long to wait for its end",
                 .fallback = "20s"}},
      .examples = {{"teamster agent stop --team demo --member builder", "End it and wait until nothing is left"}},
      .run = run,
  };
}

}  // namespace teamster::cli::commands
