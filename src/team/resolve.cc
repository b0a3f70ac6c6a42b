#include "team/resolve.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "base/name.h"
#include "base/team_ref.h"
#include "base/text.h"

namespace teamster::team {
namespace {

std::string known_members(Scene& scene, TeamId team) {
  const auto members = scene.tables().members.list(team);
  std::vector<std::string> names;
  if (members)
    for (const auto& member : *members)
      if (member.live) names.push_back(member.name);
  return names.empty() ? "It has no live members" : "Its live members are " + join(names, ", ");
}

// What somebody who typed this may have meant.
Result<std::string> nearest_runs(Scene& scene, const std::string& typed) {
  const auto names = TRY(scene.tables().runs.newest_names(limits::kRunsLookedAtForNames));
  std::vector<std::string> meant;
  for (const auto& name : names)
    if (!typed.empty() && name.starts_with(typed) && meant.size() < limits::kRunsSuggestedMax) meant.push_back(name);
  if (meant.empty())
    if (auto near = closest(typed, names)) meant.push_back(*std::move(near));
  return meant.empty() ? "See `teamster status`" : fmt::format("Did you mean {}?", join(meant, " or "));
}

bool is_inside(const std::string& directory, const std::string& project) {
  return directory == project || (directory.starts_with(project) && directory[project.size()] == '/');
}

// Of teams of one name that of the project in whose directory (args.directory) somebody types it, else the one that is
// of no project. Nothing: there is none of this name.
Result<std::optional<store::TeamRow>> only_team(Scene& scene, const std::string& name, const Json& args) {
  auto teams = TRY(scene.tables().teams.named(name));
  if (teams.empty()) return std::optional<store::TeamRow>();
  if (teams.size() == 1) return std::optional(std::move(teams.front()));
  const auto directory = TRY(optional_string_field(args, "directory")).value_or("");
  store::TeamRow* meant = nullptr;
  for (auto& team : teams)
    if (team.project.empty() || is_inside(directory, team.project))
      if (meant == nullptr || team.project.size() > meant->project.size()) meant = &team;
  if (meant != nullptr) return std::optional(std::move(*meant));
  std::vector<std::string> places;
  for (const auto& team : teams) places.push_back(fmt::format("{} of {}", team.ref().text(), team.project));
  return fail(Code::refused, fmt::format("{} teams have the name {}: {}", teams.size(), name, join(places, ", ")),
              "Name one of them as it stands here, or do this in its directory");
}

}  // namespace

Result<store::TeamRow> resolve_team(Scene& scene, const Actor& actor, const Json& args, Code when_missing) {
  const auto named = TRY(optional_string_field(args, "team"));
  if (!actor.is_operator) {
    auto own = TRY(scene.tables().teams.get(actor.team));
    if (!own || own->deleted) return fail(Code::refused, "this member's team has been deleted");
    if (named && *named != own->name && *named != own->ref().text())
      return fail(Code::refused,
                  fmt::format("member {} of team {} cannot act in team {}", actor.name, own->name, quoted(*named, 80)),
                  "Leave --team out, or act as the operator");
    return *std::move(own);
  }
  if (!named) return fail(Code::invalid, "no team is named", "Add --team NAME");
  const TeamRef ref = TRY(TeamRef::parse(*named));
  auto team = ref.tag.empty() ? TRY(only_team(scene, ref.name, args)) : TRY(scene.tables().teams.find(ref));
  if (!team)
    return fail(when_missing, fmt::format("there is no team {}", ref.text()),
                "See `teamster team list`, or create it with `teamster team create`");
  return *std::move(team);
}

Result<store::MemberRow> resolve_live(Scene& scene, const store::TeamRow& team, std::string_view name) {
  const Name checked = TRY(Name::parse("member", name));
  auto member = TRY(scene.tables().members.find(team.id, checked.text()));
  if (!member)
    return fail(Code::refused, fmt::format("team {} has no member {}", team.name, checked.text()),
                known_members(scene, team.id));
  if (!member->live)
    return fail(Code::refused,
                fmt::format("member {} of team {} is gone ({})", member->name, team.name, member->left_why),
                known_members(scene, team.id));
  return *std::move(member);
}

Result<store::MemberRow> resolve_self(Scene& scene, const Actor& actor, const store::TeamRow& team, const Json& args,
                                      std::string_view field, std::string_view default_name) {
  const auto named = TRY(optional_string_field(args, field));
  if (!actor.is_operator) {
    if (named && *named != actor.name)
      return fail(Code::refused, fmt::format("the token of {} cannot act as {}", actor.name, quoted(*named, 80)),
                  fmt::format("Leave --{} out", field));
    return scene.self ? Result<store::MemberRow>(*scene.self) : resolve_live(scene, team, actor.name);
  }
  if (!named && default_name.empty())
    return fail(Code::invalid, "no member is named", fmt::format("Add --{} NAME", field));
  auto member = TRY(resolve_live(scene, team, named ? *named : default_name));
  TRY_VOID(check_epoch(member, args));
  return member;
}

Result<void> check_epoch(const store::MemberRow& member, const Json& args) {
  const auto epoch = TRY(optional_integer_field(args, "epoch"));
  if (!epoch || *epoch == member.epoch.value) return {};
  return fail(Code::refused, fmt::format("member {} is in epoch {}, not {}", member.name, member.epoch.value, *epoch),
              "Its newer self carries on; end this process");
}

Result<store::RunRow> resolve_run(Scene& scene, const Json& args) {
  const auto name = TRY(string_field(args, "run"));
  auto run = TRY(scene.tables().runs.find(name));
  if (run) return *std::move(run);
  auto meant = TRY(nearest_runs(scene, name));
  return fail(Code::not_found, fmt::format("there is no run {}", quoted(name, 80)), std::move(meant));
}

Result<store::RunRow> resolve_live_run(Scene& scene, const Json& args) {
  auto run = TRY(resolve_run(scene, args));
  if (run.ended)
    return fail(Code::refused, fmt::format("run {} has ended: {}", run.name, run.status),
                fmt::format("See `teamster report {}`", run.name));
  return run;
}

}  // namespace teamster::team
