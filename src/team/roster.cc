#include "team/roster.h"

#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "base/name.h"
#include "base/team_ref.h"
#include "base/text.h"
#include "env/liveness.h"
#include "protocol/words/message_records.h"
#include "protocol/words/process_record.h"
#include "protocol/words/task_records.h"
#include "protocol/words/team_records.h"
#include "team/resolve.h"
#include "team/run_lease.h"
#include "team/turn.h"

namespace teamster::team {
namespace {

Result<Name> member_name(std::string_view text) {
  const Name name = TRY(Name::parse("member", text));
  if (name.text() == kOperator || name.text() == kHub)
    return fail(Code::invalid, fmt::format("the name {} is reserved", name.text()), "Choose another member name");
  return name;
}

Result<std::vector<Name>> member_names(const Json& args) {
  const auto list = args.find("members");
  if (list == args.end()) return std::vector<Name>();
  if (!list->is_array()) return fail(Code::invalid, "field 'members' is not a list of names");
  if (list->size() > limits::kMembersPerTeamMax)
    return fail(Code::invalid,
                fmt::format("{} members are over the limit of {}", list->size(), limits::kMembersPerTeamMax));
  std::vector<Name> names;
  std::set<std::string> seen;
  for (const auto& entry : *list) {
    if (!entry.is_string()) return fail(Code::invalid, "field 'members' is not a list of names");
    names.push_back(TRY(member_name(entry.get_ref<const std::string&>())));
    if (!seen.insert(names.back().text()).second)
      return fail(Code::invalid, fmt::format("member {} is named twice", names.back().text()), "Name each member once");
  }
  return names;
}

// nullopt for a team made by hand.
Result<std::optional<OwnerRecord>> owner_in(Scene& scene, const Json& args) {
  const auto pid = TRY(optional_integer_field(args, "owner_pid"));
  const auto owner = args.find("owner");
  if ((args.contains("run") ? 1 : 0) + (pid ? 1 : 0) + (owner != args.end() ? 1 : 0) > 1)
    return fail(Code::invalid, "a team is owned by a run or by a process, not by both");
  if (args.contains("run")) {
    const auto run = TRY(resolve_live_run(scene, args));
    return std::optional(OwnerRecord{.run = run.name});
  }
  if (owner != args.end()) {
    OwnerRecord of_process;
    of_process.process = TRY(read_holder_argument(*owner));
    return std::optional(std::move(of_process));
  }
  if (!pid) return std::optional<OwnerRecord>();
  auto identity = scene.processes.identify(*pid);
  if (!identity)
    return fail(Code::invalid, fmt::format("there is no process {} to own the team", *pid),
                "Give the pid of a running process");
  return std::optional(OwnerRecord{.process = std::move(identity)});
}

// In its first epoch the member has no id yet.
Result<Json> record_joined(Scene& scene, const Actor& actor, TeamId team, MemberJoined joined) {
  if (joined.member_id.value == 0) joined.member_id = MemberId(scene.store.next_seq().value);
  TRY_VOID(scene.store.record(joined, team, actor.name));
  return Json{{"name", joined.member}, {"epoch", joined.epoch.value}, {"id", joined.member_id.value}};
}

// How the process that keeps the team alive does: of a run whoever holds it now, whichever process made the team.
struct OwnerState {
  std::int64_t pid = 0;  // 0: nobody holds the run
  bool is_alive = false;
};

OwnerState owner_state(Scene& scene, const OwnerRecord& owner) {
  if (owner.run.empty()) {
    if (!owner.process) return {};
    // Of one that cannot be seen from here nobody can say that it is gone.
    return {owner.process->pid, env::liveness_of(scene.processes, *owner.process) != env::Liveness::dead};
  }
  const auto run = scene.tables().runs.find(owner.run);
  if (!run || !*run || (*run)->ended || !(*run)->holder) return {};
  return {(*run)->holder->pid, is_holder_alive(scene, **run)};
}

Json owner_json(Scene& scene, const store::TeamRow& team) {
  if (!team.owner) return nullptr;
  const OwnerState state = owner_state(scene, *team.owner);
  Json owner = {{"pid", state.pid}, {"alive", state.is_alive}};
  if (!team.owner->run.empty()) owner["run"] = team.owner->run;
  return owner;
}

std::string why_orphan(const OwnerRecord& owner) {
  if (!owner.run.empty()) return fmt::format("nobody drives its run {} any more", owner.run);
  return fmt::format("its owner, process {}, is gone", owner.process ? owner.process->pid : 0);
}

Result<Json> task_counts(Scene& scene, TeamId team) {
  Json counts = Json::object();
  for (const TaskStatus status : kCountedTaskStatuses)
    counts[std::string(to_string(status))] = TRY(scene.tables().tasks.count(team, status));
  return counts;
}

Result<Json> member_json(Scene& scene, const store::MemberRow& member, const std::vector<TaskId>& held) {
  Json claimed = Json::array();
  for (const TaskId id : held)
    if (claimed.size() < limits::kClaimedShownMax) claimed.push_back(id.value);
  const auto unread = TRY(scene.tables().messages.count(member.id, Receipt::queued));
  Json out = {{"name", member.name},        {"epoch", member.epoch.value},   {"state", member.live ? "live" : "gone"},
              {"native", member.is_native}, {"running", member.running},     {"usage", usage_json(member.usage)},
              {"unread", unread},           {"claimed", std::move(claimed)}, {"joined", to_iso8601(member.joined)}};
  if (member.left) {
    out["left"] = to_iso8601(*member.left);
    out["left_why"] = member.left_why;
  }
  return out;
}

}  // namespace

bool is_orphan(Scene& scene, const store::TeamRow& team) {
  return team.owner && !owner_state(scene, *team.owner).is_alive;
}

Result<Outcome> create_team(Scene& scene, const Actor& actor, const Json& args) {
  const TeamRef named = TRY(TeamRef::parse(TRY(string_field(args, "team"))));
  const auto project = TRY(optional_string_field(args, "project")).value_or("");
  const TeamRef ref = TeamRef::of(named.name, project);
  if (!named.tag.empty() && named.tag != ref.tag)
    return fail(Code::invalid, fmt::format("{} is not the name of a team of {}", named.text(), quoted(project, 200)));
  const auto names = TRY(member_names(args));
  auto owner = TRY(owner_in(scene, args));
  if (TRY(scene.tables().teams.find(ref)))
    return fail(Code::refused, fmt::format("team {} exists already", ref.name),
                fmt::format("Choose another name, or delete it with `teamster team delete {}`", ref.name));
  const Seq created = TRY(scene.store.record(TeamCreated{ref.name, std::move(owner), project}, TeamId(), actor.name));
  const TeamId team(created.value);
  Json members = Json::array();
  for (const auto& member : names)
    members.push_back(TRY(record_joined(scene, actor, team, {member.text(), MemberId(), Epoch(1)})));
  return answered({{"team", ref.name}, {"team_id", team.value}, {"members", std::move(members)}});
}

Result<Outcome> join_team(Scene& scene, const Actor& actor, const Json& args) {
  const auto team = TRY(resolve_team(scene, actor, args));
  const Name name = TRY(member_name(TRY(string_field(args, "member"))));
  if (team.shutdown_due)
    return fail(Code::refused, fmt::format("team {} is shutting down", team.name),
                "Wait until it is gone, then create a new one");
  const auto known = TRY(scene.tables().members.find(team.id, name.text()));
  if (!known && TRY(scene.tables().members.list(team.id)).size() >= limits::kMembersPerTeamMax)
    return fail(Code::refused, fmt::format("team {} has {} members, the limit", team.name, limits::kMembersPerTeamMax));
  const bool is_native = TRY(flag_field(args, "native"));
  if (known && known->live) TRY_VOID(end_epoch(scene, actor.name, *known, "superseded by its next epoch"));
  const Epoch epoch(known ? known->epoch.value + 1 : 1);
  const MemberJoined joined{name.text(), known ? known->id : MemberId(), epoch, is_native};
  Json member = TRY(record_joined(scene, actor, team.id, joined));
  if (known) {
    // What the older epoch was handed and did not see is the new one's to see.
    const auto ids = TRY(scene.tables().messages.delivered_unseen(known->id));
    if (!ids.empty())
      TRY_VOID(scene.store.record(MessagesRequeued{{name.text(), known->id, ids}, "new epoch"}, team.id, actor.name));
  }
  return answered({{"team", team.name}, {"team_id", team.id.value}, {"member", std::move(member)}});
}

Result<std::vector<TaskId>> end_epoch(Scene& scene, std::string_view actor, const store::MemberRow& member,
                                      std::string_view reason) {
  const auto held = TRY(scene.tables().tasks.held(member.team))[member.id];
  TRY_VOID(scene.store.record(MemberLeft{member.name, member.id, member.epoch, reason}, member.team, actor));
  if (!held.empty()) TRY_VOID(scene.store.record(TaskReleased{held, member.name, reason}, member.team, actor));
  return held;
}

Result<Outcome> leave_team(Scene& scene, const Actor& actor, const Json& args) {
  const auto team = TRY(resolve_team(scene, actor, args));
  const auto member = TRY(resolve_live(scene, team, TRY(string_field(args, "member"))));
  if (member.is_operator()) return fail(Code::refused, "the operator cannot leave a team");
  TRY_VOID(check_epoch(member, args));
  const auto reason = TRY(optional_string_field(args, "reason")).value_or("left");
  if (reason.size() > limits::kSummaryMaxBytes)
    return fail(Code::invalid, fmt::format("the reason is over the limit of {} bytes", limits::kSummaryMaxBytes));
  Json released = Json::array();
  for (const TaskId id : TRY(end_epoch(scene, actor.name, member, reason))) released.push_back(id.value);
  return answered({{"team", team.name},
                   {"member", {{"name", member.name}, {"epoch", member.epoch.value}}},
                   {"released", std::move(released)}});
}

Result<Outcome> list_teams(Scene& scene, const Actor&, const Json&) {
  Json teams = Json::array();
  for (const auto& team : TRY(scene.tables().teams.list())) {
    std::int64_t live = 0;
    for (const auto& member : TRY(scene.tables().members.list(team.id))) live += member.live ? 1 : 0;
    Json tasks = TRY(task_counts(scene, team.id));
    teams.push_back({{"team", team.name},
                     {"ref", team.ref().text()},
                     {"project", team.project.empty() ? Json() : Json(team.project)},
                     {"created", to_iso8601(team.created)},
                     {"live_members", live},
                     {"tasks", std::move(tasks)},
                     {"owner", owner_json(scene, team)},
                     {"orphan", is_orphan(scene, team)}});
  }
  return answered({{"teams", std::move(teams)}});
}

Result<Outcome> team_status(Scene& scene, const Actor& actor, const Json& args) {
  const auto team = TRY(resolve_team(scene, actor, args, Code::not_found));
  const auto rows = TRY(scene.tables().members.list(team.id));
  auto held = TRY(scene.tables().tasks.held(team.id));
  Json members = Json::array();
  std::vector<MemberId> mailboxes = {MemberId(team.id.value)};
  for (const auto& member : rows) {
    members.push_back(TRY(member_json(scene, member, held[member.id])));
    mailboxes.push_back(member.id);
  }
  Json messages = Json::object();
  for (const Receipt receipt : kReceipts) {
    std::int64_t count = 0;
    for (const MemberId mailbox : mailboxes) count += TRY(scene.tables().messages.count(mailbox, receipt));
    messages[std::string(to_string(receipt))] = count;
  }
  Json tasks = TRY(task_counts(scene, team.id));
  return answered({{"team", team.name},
                   {"ref", team.ref().text()},
                   {"project", team.project.empty() ? Json() : Json(team.project)},
                   {"created", to_iso8601(team.created)},
                   {"owner", owner_json(scene, team)},
                   {"orphan", is_orphan(scene, team)},
                   {"shutting_down", team.shutdown_due.has_value()},
                   {"members", std::move(members)},
                   {"tasks", std::move(tasks)},
                   {"messages", std::move(messages)}});
}

Result<Outcome> list_orphans(Scene& scene, const Actor&, const Json&) {
  Json orphans = Json::array();
  for (const auto& team : TRY(scene.tables().teams.list())) {
    if (!is_orphan(scene, team)) continue;
    orphans.push_back({{"team", team.name},
                       {"ref", team.ref().text()},
                       {"age_ms", scene.now().unix_ms - team.created.unix_ms},
                       {"reason", why_orphan(*team.owner)}});
  }
  return answered({{"orphans", std::move(orphans)}});
}

}  // namespace teamster::team
