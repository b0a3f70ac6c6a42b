#include "team/resolve.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "base/name.h"
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

}  // namespace

Result<store::TeamRow> resolve_team(Scene& scene, const Actor& actor, const Json& args, Code when_missing) {
  const auto named = TRY(optional_string_field(args, "team"));
  if (!actor.is_operator) {
    auto own = TRY(scene.tables().teams.get(actor.team));
    if (!own || own->deleted) return fail(Code::refused, "this member's team has been deleted");
    if (named && *named != own->name)
      return fail(Code::refused,
                  fmt::format("member {} of team {} cannot act in team {}", actor.name, own->name, quoted(*named, 80)),
                  "Leave --team out, or act as the operator");
    return *std::move(own);
  }
  if (!named) return fail(Code::invalid, "no team is named", "Add --team NAME");
  const Name name = TRY(Name::parse("team", *named));
  auto team = TRY(scene.tables().teams.find(name.text()));
  if (!team)
    return fail(when_missing, fmt::format("there is no team {}", name.text()),
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
