#include "engine/team_owner.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace teamster::engine {

std::string taken_text(const std::string& team, const Json& owner) {
  if (!owner.is_object())
    return fmt::format("team {0} was made by hand. If it is of no use any more, delete it: teamster team delete {0}",
                       team);
  const auto pid = owner.value("pid", std::int64_t{0});
  if (const std::string run = owner.value("run", ""); !run.empty())
    return fmt::format(
        "team {0} belongs to run {1}, which process {2} drives. Wait for its end, or end it: "
        "teamster cancel {1}",
        team, run, pid);
  return fmt::format(
      "team {0} belongs to process {1}, which lives. Wait for its end, or delete it: "
      "teamster team delete {0}",
      team, pid);
}

}  // namespace teamster::engine
