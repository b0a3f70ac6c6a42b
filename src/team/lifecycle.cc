#include "team/lifecycle.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "base/team_ref.h"
#include "protocol/words/message_records.h"
#include "protocol/words/team_records.h"
#include "team/resolve.h"
#include "team/roster.h"

namespace teamster::team {
namespace {

constexpr const char* kApproved = "approved the shutdown";
constexpr const char* kForced = "forced";

Result<std::vector<store::MemberRow>> live_members(Scene& scene, TeamId team) {
  auto members = TRY(scene.tables().members.list(team));
  std::erase_if(members, [](const store::MemberRow& member) { return !member.live; });
  return members;
}

Result<void> ask_to_shut_down(Scene& scene, const Actor& actor, const store::TeamRow& team, const std::string& reason,
                              WallTime due) {
  TRY_VOID(scene.store.record(TeamShutdown{due, reason}, team.id, actor.name));
  for (const auto& member : TRY(live_members(scene, team.id))) {
    const std::string text = dump_json({{"reason", reason}, {"answer_before", to_iso8601(due)}});
    const MessageSent request{.from = actor.name,
                              .to = member.name,
                              .to_id = member.id,
                              .kind = message_kind::kShutdownRequest,
                              .body = text,
                              .priority = priority::kInterrupt};
    TRY_VOID(scene.store.record(request, team.id, actor.name));
  }
  return {};
}

// A native member has nobody who could answer a request.
Result<void> end_native_members(Scene& scene, const Actor& actor, const store::TeamRow& team) {
  for (const auto& member : TRY(live_members(scene, team.id)))
    if (member.is_native) TRY_VOID(end_epoch(scene, actor.name, member, "the team shuts down"));
  return {};
}

// How each member that was asked has gone.
Result<Json> shutdown_result(Scene& scene, const store::TeamRow& team) {
  Json approved = Json::array();
  Json rejected = Json::array();
  Json forced = Json::array();
  for (const auto& member : TRY(scene.tables().members.list(team.id))) {
    if (!member.shutdown_answer.empty())
      rejected.push_back({{"name", member.name}, {"reason", member.shutdown_answer}});
    if (member.live || member.is_native || !team.shutdown_since || !member.left || *member.left < *team.shutdown_since)
      continue;
    (member.left_why.starts_with(kForced) ? forced : approved).push_back(member.name);
  }
  return Json{{"team", team.name}, {"approved", approved}, {"rejected", rejected}, {"forced", forced}};
}

}  // namespace

Result<Outcome> shut_down_team(Scene& scene, const Actor& actor, const Json& args) {
  auto team = TRY(resolve_team(scene, actor, args));
  const auto reason = TRY(optional_string_field(args, "reason")).value_or("the team's work is over");
  if (reason.size() > limits::kSummaryMaxBytes)
    return fail(Code::invalid, fmt::format("the reason is over the limit of {} bytes", limits::kSummaryMaxBytes));
  const auto deadline =
      TRY(optional_integer_field(args, "deadline_ms")).value_or(to_ms(limits::kShutdownAnswerDeadline));
  if (deadline < 0 || deadline > to_ms(limits::kWaitMax)) return fail(Code::invalid, "'deadline_ms' is out of range");
  TRY_VOID(end_native_members(scene, actor, team));
  if (TRY(live_members(scene, team.id)).empty()) return answered(TRY(shutdown_result(scene, team)));
  if (!team.shutdown_due) {
    TRY_VOID(ask_to_shut_down(scene, actor, team, reason, WallTime{scene.now().unix_ms + deadline}));
    team = TRY(resolve_team(scene, actor, args));
  }
  const Json so_far = TRY(shutdown_result(scene, team));
  return Outcome{dump_json(so_far), {Topic::lifecycle(team.id)}, {}};
}

Result<void> take_shutdown_answer(Scene& scene, const store::MemberRow& member, const Json& answer) {
  if (TRY(flag_field(answer, "approve"))) {
    TRY_VOID(end_epoch(scene, member.name, member, kApproved));
    return {};
  }
  std::string reason = TRY(optional_string_field(answer, "reason")).value_or("");
  if (reason.empty()) reason = "no reason given";
  TRY_VOID(scene.store.record(MemberRejectedShutdown{member.name, member.id, reason}, member.team, member.name));
  return {};
}

Result<void> expire_shutdowns(Scene& scene) {
  for (const auto& team : TRY(scene.tables().teams.shutdown_due_by(scene.now()))) {
    for (const auto& member : TRY(live_members(scene, team.id))) {
      const std::string why = member.shutdown_answer.empty() ? "no answer to the shutdown request in time"
                                                             : "rejected the shutdown: " + member.shutdown_answer;
      TRY_VOID(end_epoch(scene, kHub, member, fmt::format("{}: {}", kForced, why)));
    }
    TRY_VOID(scene.store.record(TeamShutdownOver{}, team.id, kHub));
  }
  return {};
}

Result<Outcome> delete_team(Scene& scene, const Actor& actor, const Json& args) {
  const bool only_orphan = TRY(flag_field(args, "only_orphan"));
  if (only_orphan) {
    // Nothing may be left of it but its directory, which goes with the answer.
    const TeamRef ref = TRY(TeamRef::parse(TRY(string_field(args, "team"))));
    const bool is_known = ref.tag.empty() ? !TRY(scene.tables().teams.named(ref.name)).empty()
                                          : TRY(scene.tables().teams.find(ref)).has_value();
    if (!is_known)
      return answered({{"team", ref.name}, {"ref", ref.text()}, {"deleted", true}, {"forced", Json::array()}});
  }
  const auto team = TRY(resolve_team(scene, actor, args));
  const bool force = TRY(flag_field(args, "force"));
  if (only_orphan && !is_orphan(scene, team))
    return fail(Code::refused, fmt::format("team {} is no orphan any more", team.name));
  const auto live = TRY(live_members(scene, team.id));
  std::vector<std::string> forced;
  for (const auto& member : live) forced.push_back(member.name);
  if (!live.empty() && !force)
    return fail(Code::refused,
                fmt::format("team {} has {} live member{}", team.name, live.size(), live.size() == 1 ? "" : "s"),
                fmt::format("Ask them to shut down with `teamster team delete {0} --shutdown`, or end them with "
                            "`teamster team delete {0} --force`",
                            team.name));
  for (const auto& member : live) TRY_VOID(end_epoch(scene, actor.name, member, "forced: the team was deleted"));
  TRY_VOID(scene.store.record(TeamDeleted{team.name, forced}, team.id, actor.name));
  return answered({{"team", team.name}, {"ref", team.ref().text()}, {"deleted", true}, {"forced", std::move(forced)}});
}

Result<Outcome> collect_garbage(Scene& scene, const Actor& actor, const Json& args) {
  const auto age = TRY(integer_field(args, "older_than_ms"));
  if (age < 0) return fail(Code::invalid, "'older_than_ms' is negative");
  const bool dry_run = TRY(flag_field(args, "dry_run"));
  const WallTime before{scene.now().unix_ms - age};
  const auto teams = TRY(scene.tables().teams.deleted_before(before));
  const auto runs = TRY(scene.tables().runs.ended_before(before));
  Json answer = {{"teams", Json::array()}, {"runs", Json::array()}, {"events", 0}};
  answer["done"] = dry_run || teams.size() + runs.size() <= 1;
  if (dry_run) {
    for (const auto& team : teams) answer["teams"].push_back(team.name);
    for (const auto& run : runs) answer["runs"].push_back(run.name);
    return answered(answer);
  }
  // One team or run a transaction keeps other clients from waiting long. Recorded after the
  // removal: the journal's last number is never given out again.
  if (!teams.empty()) {
    const auto& team = teams.front();
    answer["teams"].push_back(team.name);
    const auto events = TRY(scene.store.remove_team_history(team.id));
    answer["events"] = events;
    TRY_VOID(scene.store.record(TeamHistoryRemoved{team.name, team.id, events}, TeamId(), actor.name));
  } else if (!runs.empty()) {
    const auto& run = runs.front();
    answer["runs"].push_back(run.name);
    const auto events = TRY(scene.store.remove_run_history(run.id));
    answer["events"] = events;
    TRY_VOID(scene.store.record(RunHistoryRemoved{run.name, run.id, events}, TeamId(), actor.name));
  }
  return answered(answer);
}

}  // namespace teamster::team
