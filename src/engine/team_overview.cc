#include "engine/team_overview.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "protocol/client/call.h"
#include "protocol/client/task_calls.h"

namespace teamster::engine {
namespace {

template <class Call>
Result<typename Call::Answer> ask_hub(const HubCall& call, Call question) {
  return hub::read_answer<Call>(call(hub::request_for(std::move(question))));
}

struct RunWithTeam {
  std::string spec;
  std::string phase;
  Json args;
};

// The key as the workflow gave it: "auth" of "auth in /home/kim/project".
std::string spec_of(const hub::ListedRun& row) {
  const std::string key = row.key.value_or("");
  return key.substr(0, key.find(" in /"));
}

Result<std::map<std::string, RunWithTeam>> runs_under_way(const RunService& runs) {
  std::map<std::string, RunWithTeam> under_way;
  for (const auto& row : TRY(runs.list(false))) {
    auto view = runs.view_row(row);
    if (!view && view.error().code == Code::not_found) continue;  // gone meanwhile
    if (!view) return fail(view.error());
    const workflow::RunState& state = view->reading.state();
    under_way[row.run] = {spec_of(row), state.phase, state.args};
  }
  return under_way;
}

bool is_about(const RunWithTeam& run, const std::string& spec) {
  if (run.spec == spec) return true;
  return run.args.is_object() && std::any_of(run.args.begin(), run.args.end(), [&](const Json& value) {
           return value.is_string() && value.get_ref<const std::string&>() == spec;
         });
}

// nullopt: it was deleted since the list was made.
Result<std::optional<TeamOverview>> overview_of(const HubCall& call, const std::string& team, const RunWithTeam* run) {
  TeamOverview overview;
  auto document = call(hub::request_for(hub::GetTeamStatus{team}));
  if (!document && document.error().code == Code::not_found) return std::optional<TeamOverview>();
  overview.document = TRY(std::move(document));
  overview.status = TRY(hub::TeamStatus::read(overview.document));
  if (run != nullptr) {
    overview.spec = run->spec;
    overview.phase = run->phase;
  }
  for (const auto& member : overview.status.members) {
    if (!member.is_live || member.claimed.empty()) continue;
    const auto task = ask_hub(call, hub::GetTask{.team = team, .id = member.claimed.front()});
    if (task) overview.focus[member.name] = task->subject;
  }
  overview.document["spec"] = overview.spec.empty() ? Json() : Json(overview.spec);
  overview.document["phase"] = overview.phase.empty() ? Json() : Json(overview.phase);
  for (auto& member : overview.document.at("members")) {
    const auto focus = overview.focus.find(member.value("name", ""));
    member["focus"] = focus == overview.focus.end() ? Json() : Json(focus->second);
  }
  return std::optional(std::move(overview));
}

Result<std::vector<TeamOverview>> overviews(const HubCall& call, const std::map<std::string, RunWithTeam>& under_way,
                                            const std::optional<std::string>& spec) {
  std::vector<TeamOverview> found;
  for (const auto& team : TRY(ask_hub(call, hub::ListTeams{}))) {
    if (team.is_orphan) continue;
    const auto run = team.owner ? under_way.find(team.owner->run) : under_way.end();
    const bool is_wanted = !spec || (run != under_way.end() && is_about(run->second, *spec));
    if (!is_wanted) continue;
    auto one = TRY(overview_of(call, team.ref, run == under_way.end() ? nullptr : &run->second));
    if (one) found.push_back(*std::move(one));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const TeamOverview& a, const TeamOverview& b) { return a.spec < b.spec; });
  return found;
}

}  // namespace

Result<std::vector<TeamOverview>> overview_of_teams(const HubCall& call, const RunService& runs) {
  return overviews(call, TRY(runs_under_way(runs)), std::nullopt);
}

Result<std::vector<TeamOverview>> overview_for_spec(const HubCall& call, const RunService& runs,
                                                    const std::string& spec) {
  const auto under_way = TRY(runs_under_way(runs));
  if (std::none_of(under_way.begin(), under_way.end(), [&](const auto& run) { return is_about(run.second, spec); }))
    return fail(Code::not_found,
                fmt::format("there is no team {0}, and no run under way is about the spec {0}", quoted(spec, 80)),
                "See all teams with `teamster team status`, all runs with `teamster status`");
  return overviews(call, under_way, spec);
}

}  // namespace teamster::engine
