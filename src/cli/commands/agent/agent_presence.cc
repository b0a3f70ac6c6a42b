#include "cli/commands/agent/agent_presence.h"

#include <fmt/format.h>

#include "env/files.h"
#include "env/loop.h"
#include "env/processes.h"
#include "protocol/client/team_calls.h"

namespace teamster::cli {
namespace {

// A host that dies without having written anything changes no file.
constexpr Duration kLookAgainAfter = std::chrono::seconds(1);

}  // namespace

Result<std::string> ref_of_team(const Context& context, const std::string& team) {
  const auto status = context.ask(hub::GetTeamStatus{team});
  if (status) return status->ref;
  // Whoever needs the team itself is told so where it does.
  if (status.error().code == Code::not_found) return team;
  return fail(status.error());
}

Result<Presence> presence_of(const Context& context, const std::string& team, const std::string& member) {
  const hub::Home home = TRY(context.home());
  const env::World world = context.outside().world();
  Presence presence;
  presence.record = agent::Record::load(world.files, home.member_directory(team, member));
  presence.host_lives =
      presence.record && presence.record->state != "gone" && world.processes.is_alive(presence.record->host);
  return presence;
}

Result<bool> wait_for_presence(const Context& context, const std::string& team, const std::string& member,
                               Duration timeout, const std::function<bool(const Presence&)>& is_enough) {
  const hub::Home home = TRY(context.home());
  const env::World world = context.outside().world();
  bool looks = true;
  bool is_late = false;
  Result<bool> outcome = false;
  // A machine that has no watch left for us makes this slower, not impossible.
  const auto watch = world.files.watch(home.member_directory(team, member), [&] { looks = true; });
  const env::Timer deadline = world.loop.after(timeout, [&] { is_late = true; });
  env::Timer again;
  world.loop.run_until([&] {
    if (!std::exchange(looks, false)) return is_late;
    again = world.loop.after(kLookAgainAfter, [&] { looks = true; });
    const auto presence = presence_of(context, team, member);
    if (presence)
      outcome = is_enough(*presence);
    else
      outcome = fail(presence.error());
    return is_late || !outcome || *outcome;
  });
  return outcome;
}

Result<agent::Record> require_host(const Context& context, const std::string& team, const std::string& member) {
  auto presence = TRY(presence_of(context, team, member));
  if (presence.host_lives) return *std::move(presence.record);
  return fail(Code::refused, fmt::format("nobody runs member {} of team {}", member, team),
              fmt::format("Start it: `teamster agent start --team {} --member {}`", team, member));
}

}  // namespace teamster::cli
