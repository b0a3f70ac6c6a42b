#include "engine/active_teams.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/team_ref.h"
#include "interop/claude_teams.h"
#include "protocol/client/call.h"
#include "protocol/client/run_calls.h"

namespace teamster::engine {
namespace {

bool may_be_meant(const ActiveTeams::Place& place, const hub::ListedTeam& team) {
  if (team.is_orphan || !team.owner || team.owner->run.empty()) return false;
  const std::string& run = team.owner->run;
  // One that is named as its run is nobody's idea of a team.
  if (run == place.except_run || run == team.team || team.project != place.project) return false;
  if (!place.before) return true;
  if (!team.created || team.created->unix_ms > place.before->unix_ms) return false;
  return team.created->unix_ms < place.before->unix_ms || team.team < place.before_name;
}

}  // namespace

ActiveTeams::ActiveTeams(const env::World& world, hub::Client& hub, Variable variable)
    : world_(world), calls_(hub), variable_(std::move(variable)) {}

void ActiveTeams::find(const Place& place, const Then& then) {
  hub::ask(calls_, hub::ListTeams{}, [=, this](const Result<hub::ListTeams::Answer>& listed) {
    if (!listed) return then(fail(listed.error()));
    auto teams = std::make_shared<std::vector<hub::ListedTeam>>(*listed);
    std::erase_if(*teams, [&](const hub::ListedTeam& team) { return !may_be_meant(place, team); });
    look_at_runs(place, teams, then);
  });
}

// One run after the other: there are few.
void ActiveTeams::look_at_runs(const Place& place, std::shared_ptr<std::vector<hub::ListedTeam>> teams,
                               const Then& then) {
  if (teams->empty()) return then(std::optional<ActiveTeam>());
  const hub::ListedTeam team = teams->back();
  teams->pop_back();
  hub::ask(calls_, hub::GetRun{team.owner->run}, [=, this](const Result<hub::GetRun::Answer>& run) {
    const bool is_it = run && run->run.workflow == place.workflow;
    if (is_it) return then(std::optional(ActiveTeam{team.team, team.owner->run}));
    look_at_runs(place, teams, then);
  });
}

void ActiveTeams::find_or_named(const Place& place, const std::string& named, const Then& then) {
  find(place, [=, this](const Result<std::optional<ActiveTeam>>& found) {
    if (!found || *found || named.empty()) return then(found);
    hub::ask(calls_, hub::GetTeamStatus{TeamRef::of(named, place.project).text()},
             [=, this](const Result<hub::TeamStatus>& status) {
               const bool is_of_run = status && status->owner && !status->owner->run.empty();
               // That of a run which ended with it, or can be resumed and takes it up then, is in nobody's way.
               if (status && !status->is_orphan && (!is_of_run || status->owner->is_alive))
                 return then(std::optional(ActiveTeam{named, is_of_run ? status->owner->run : std::string()}));
               const interop::ClaudeTeams claude(world_, interop::ClaudeTeams::find_directory(variable_));
               const auto teams = claude.list();
               const bool lives = std::any_of(teams.begin(), teams.end(), [&](const interop::ClaudeTeam& team) {
                 return team.name == named && !team.is_orphan;
               });
               then(lives ? std::optional(ActiveTeam{named, ""}) : std::nullopt);
             });
  });
}

}  // namespace teamster::engine
