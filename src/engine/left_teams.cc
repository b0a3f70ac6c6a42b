#include "engine/left_teams.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "env/clock.h"
#include "protocol/client/call.h"

namespace teamster::engine {
namespace {

// What was read of Claude Code's directory, for the next look.
std::string cache_file(const hub::Home& home) { return home.path() + "/claude-teams"; }

}  // namespace

LeftTeams::LeftTeams(HubCall call, const env::World& world, const hub::Home& home, const std::string& claude_directory)
    : call_(std::move(call)), world_(world), claude_(world, claude_directory, cache_file(home)) {}

Result<std::vector<LeftTeam>> LeftTeams::ours(Duration least_age) const {
  std::vector<LeftTeam> teams;
  for (auto& orphan : TRY(hub::read_answer<hub::ListOrphans>(call_(hub::request_for(hub::ListOrphans{})))))
    if (orphan.age >= least_age) teams.push_back({std::move(orphan)});
  return teams;
}

LeftTeam LeftTeams::left(const interop::ClaudeTeam& team) const {
  const Duration age = std::chrono::milliseconds(world_.clock.wall_now().unix_ms - team.changed.unix_ms);
  return {.orphan = {team.name, team.places.front(), age, team.reason}, .is_of_claude_code = true};
}

std::vector<LeftTeam> LeftTeams::of_claude_code(Duration least_age) const {
  std::vector<LeftTeam> teams;
  for (const auto& team : claude_.list()) {
    LeftTeam one = left(team);
    if (team.is_orphan && one.orphan.age >= least_age) teams.push_back(std::move(one));
  }
  return teams;
}

Result<void> LeftTeams::remove(const LeftTeam& team) const {
  if (team.is_of_claude_code) return claude_.remove(team.orphan.team);
  const auto deleted = TRY(hub::read_answer<hub::DeleteTeam>(
      call_(hub::request_for(hub::DeleteTeam{.team = team.orphan.ref, .force = true, .only_orphan = true}))));
  if (deleted.left) return fail(*deleted.left);
  return {};
}

std::string warning_about(const LeftTeam& team) {
  return fmt::format(
      "WARNING: Orphaned team detected: {}\nTeam directory: {}\nAge: {}\nTo cleanup: teamster team cleanup{}",
      team.orphan.team, team.orphan.place, age_in_words(team.orphan.age),
      team.is_of_claude_code ? " --claude-code" : "");
}

std::string age_in_words(Duration age) {
  using std::chrono::duration_cast;
  const std::int64_t seconds = std::max<std::int64_t>(duration_cast<std::chrono::seconds>(age).count(), 0);
  const auto words = [](std::int64_t count, const char* unit) {
    return fmt::format("{} {}{}", count, unit, count == 1 ? "" : "s");
  };
  constexpr std::int64_t kMinute = 60;
  constexpr std::int64_t kHour = 60 * kMinute;
  constexpr std::int64_t kDay = 24 * kHour;
  if (seconds >= kDay) return words(seconds / kDay, "day");
  if (seconds >= kHour) return words(seconds / kHour, "hour");
  if (seconds >= kMinute) return words(seconds / kMinute, "minute");
  return words(seconds, "second");
}

}  // namespace teamster::engine
