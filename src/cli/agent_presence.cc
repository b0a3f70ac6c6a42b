#include "cli/agent_presence.h"

#include <fmt/format.h>

#include "env/processes.h"

namespace teamster::cli {

Result<Presence> presence_of(const Context& context, const std::string& team, const std::string& member) {
  const hub::Home home = TRY(context.home());
  const env::World world = context.outside().world();
  Presence presence;
  presence.record = agent::Record::load(world.files, home.member_directory(team, member));
  presence.host_lives =
      presence.record && presence.record->state != "gone" && world.processes.is_alive(presence.record->host);
  return presence;
}

Result<agent::Record> require_host(const Context& context, const std::string& team, const std::string& member) {
  auto presence = TRY(presence_of(context, team, member));
  if (presence.host_lives) return *std::move(presence.record);
  return fail(Code::refused, fmt::format("nobody runs member {} of team {}", member, team),
              fmt::format("Start it: `teamster agent start --team {} --member {}`", team, member));
}

}  // namespace teamster::cli
