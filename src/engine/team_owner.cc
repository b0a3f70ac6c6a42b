#include "engine/team_owner.h"

#include <fmt/format.h>

namespace teamster::engine {

std::string taken_text(const std::string& team, const std::optional<hub::TeamOwner>& owner) {
  if (!owner)
    return fmt::format("team {0} was made by hand. If it is of no use any more, delete it: teamster team delete {0}",
                       team);
  if (!owner->run.empty() && !owner->is_alive)
    return fmt::format(
        "team {0} belongs to run {1}, which nobody drives. Go on with it, teamster resume {1}, or end it: "
        "teamster cancel {1}",
        team, owner->run);
  if (!owner->run.empty())
    return fmt::format(
        "team {0} belongs to run {1}, which process {2} drives. Wait for its end, or end it: "
        "teamster cancel {1}",
        team, owner->run, owner->pid);
  return fmt::format(
      "team {0} belongs to process {1}, which lives. Wait for its end, or delete it: "
      "teamster team delete {0}",
      team, owner->pid);
}

}  // namespace teamster::engine
