#include "team/task_list.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/limits.h"
#include "base/text.h"
#include "protocol/words/task_records.h"
#include "team/reserved_tasks.h"
#include "team/resolve.h"

namespace teamster::team {
namespace {

using store::TaskRow;

std::string list_text(const std::vector<TaskId>& ids) {
  std::string text = "[";
  for (const TaskId id : ids) text += (text.size() > 1 ? "," : "") + std::to_string(id.value);
  return text + "]";
}

// As text at once: a tree of fourteen fields for each claim cost more than the claim.
Result<std::string> task_text(Scene& scene, const store::TeamRow& team, const TaskRow& row, const store::TaskText& text,
                              std::string_view token = {}) {
  auto& tables = scene.tables();
  std::optional<store::MemberRow> owner;
  if (row.owner) owner = scene.self && scene.self->id == *row.owner ? scene.self : TRY(tables.members.get(*row.owner));
  const std::vector<TaskId> none;
  // In the order of their names, as a reader puts them.
  JsonObjectText task;
  task.add_json("blocked_by", list_text(row.is_linked ? TRY(tables.tasks.blockers(team.id, row.id)) : none));
  task.add_json("blocks", list_text(row.is_linked ? TRY(tables.tasks.blocks(team.id, row.id)) : none));
  task.add("created", to_iso8601(row.created)).add("description", text.description).add("id", row.id.value);
  task.add_json("metadata", text.metadata.empty() ? "{}" : text.metadata);
  owner ? task.add("owner", owner->name) : task.add_null("owner");
  text.reserved.empty() ? task.add_null("reserved") : task.add("reserved", text.reserved);
  task.add("status", to_string(row.status)).add("subject", text.subject).add("team", team.name);
  if (!token.empty()) task.add("token", token);
  task.add("updated", to_iso8601(row.updated));
  task.add_json("waiting_for", list_text(row.unmet > 0 ? TRY(tables.tasks.unmet_blockers(team.id, row.id)) : none));
  return task.take();
}

Result<std::string> task_text(Scene& scene, const store::TeamRow& team, const TaskRow& row,
                              std::string_view token = {}) {
  return task_text(scene, team, row, TRY(scene.tables().tasks.text(team.id, row.id)), token);
}

Outcome task_outcome(const std::string& task) {
  return Outcome{JsonObjectText().add_json("task", task).take(), {}, {}};
}

Result<TaskRow> find_task(Scene& scene, const store::TeamRow& team, std::int64_t id) {
  auto row = TRY(scene.tables().tasks.get(team.id, TaskId(id)));
  if (!row)
    return fail(Code::not_found, fmt::format("team {} has no task {}", team.name, id),
                fmt::format("See `teamster task list --team {}`", team.name));
  return *std::move(row);
}

Result<std::string> bounded_text(const Json& args, std::string_view field, std::size_t max_bytes) {
  auto text = TRY(string_field(args, field));
  if (text.size() > max_bytes)
    return fail(Code::invalid, fmt::format("the {} has {} bytes, the limit is {}", field, text.size(), max_bytes));
  return text;
}

Result<std::string> checked_subject(const Json& args) {
  auto subject = TRY(bounded_text(args, "subject", limits::kSubjectMaxBytes));
  if (trimmed(subject).empty())
    return fail(Code::invalid, "the subject of a task is empty", "Say in a few words what is to be done");
  return subject;
}

Result<Json> checked_metadata(const Json& args) {
  const auto metadata = args.find("metadata");
  if (metadata == args.end() || metadata->is_null()) return Json::object();
  if (!metadata->is_object()) return fail(Code::invalid, "'metadata' is not a JSON object");
  if (dump_json(*metadata).size() > limits::kMetadataMaxBytes)
    return fail(Code::invalid, fmt::format("the metadata is over the limit of {} bytes", limits::kMetadataMaxBytes));
  return *metadata;
}

// Existing tasks of the team, each once.
Result<std::vector<TaskId>> checked_blockers(Scene& scene, const store::TeamRow& team, const Json& args,
                                             std::string_view field) {
  const auto list = args.find(field);
  if (list == args.end() || list->is_null()) return std::vector<TaskId>();
  if (!list->is_array() || list->size() > limits::kBlockersPerTaskMax)
    return fail(Code::invalid,
                fmt::format("'{}' is not a list of at most {} task numbers", field, limits::kBlockersPerTaskMax));
  std::set<TaskId> ids;
  for (const auto& entry : *list) {
    if (!entry.is_number_integer())
      return fail(Code::invalid, fmt::format("'{}' is not a list of task numbers", field));
    const auto row = TRY(find_task(scene, team, entry.get<std::int64_t>()));
    if (row.status == TaskStatus::deleted)
      return fail(Code::refused, fmt::format("task {} is deleted and can block nothing", row.id.value));
    ids.insert(row.id);
  }
  return std::vector<TaskId>(ids.begin(), ids.end());
}

// The path from `from` back to `to` along blockers, if waiting for `from` would close a cycle.
Result<std::vector<TaskId>> path_to(Scene& scene, TeamId team, TaskId from, TaskId to) {
  std::map<TaskId, TaskId> came_from;
  std::vector<TaskId> open = {from};
  came_from[from] = TaskId();
  while (!open.empty()) {
    const TaskId at = open.back();
    open.pop_back();
    if (at == to) {
      std::vector<TaskId> path;
      for (TaskId step = at; step.value != 0; step = came_from[step]) path.push_back(step);
      return path;
    }
    for (const TaskId next : TRY(scene.tables().tasks.blockers(team, at)))
      if (came_from.emplace(next, at).second) open.push_back(next);
  }
  return std::vector<TaskId>();
}

Result<void> refuse_cycle(Scene& scene, const store::TeamRow& team, TaskId blocked,
                          const std::vector<TaskId>& blockers) {
  for (const TaskId blocker : blockers) {
    const auto path = TRY(path_to(scene, team.id, blocker, blocked));
    if (path.empty()) continue;
    std::string cycle;
    for (const TaskId step : path) cycle += fmt::format("{} waits for ", step.value);
    return fail(Code::refused,
                fmt::format("task {} cannot wait for {}: that is a cycle ({}{})", blocked.value, blocker.value, cycle,
                            path.front().value),
                "Leave one of these dependencies out");
  }
  return {};
}

// What is recorded of a claim; render_claim makes the answer of it.
std::string claim_answer(TeamId team, TaskId id, std::string_view token) {
  return JsonObjectText().add("team_id", team.value).add("id", id.value).add("token", token).take();
}

Result<Outcome> claimed(Scene& scene, const Actor& actor, const store::TeamRow& team, const store::MemberRow& member,
                        TaskRow row, const store::TaskText& text) {
  // Unguessable, and never the same twice.
  const std::string token = fmt::format("c{}-{}", scene.store.next_seq().value, scene.random.hex(8));
  TRY_VOID(scene.store.record(TaskClaimed{row.id, member.name, member.id, member.epoch, token}, team.id, actor.name));
  row.status = TaskStatus::in_progress;
  row.owner = member.id;
  row.updated = scene.now();
  const std::string task = TRY(task_text(scene, team, row, text, token));
  return Outcome{claim_answer(team.id, row.id, token), {}, {}, task_outcome(task).answer};
}

Result<Outcome> claim_one(Scene& scene, const Actor& actor, const store::TeamRow& team, const store::MemberRow& member,
                          std::int64_t id, bool for_reserved) {
  const auto row = TRY(find_task(scene, team, id));
  TRY_VOID(check_reserved(scene, row, team.id, for_reserved, TaskUse::claim));
  const bool is_held = row.status == TaskStatus::in_progress;
  if (is_held && row.owner == member.id && row.owner_epoch == member.epoch)
    return Outcome{claim_answer(team.id, row.id, row.token), {}, {}};
  if (is_held && !for_reserved) {
    const auto owner = TRY(scene.tables().members.get(*row.owner));
    return fail(Code::refused, fmt::format("task {} is claimed by {}", id, owner ? owner->name : "another member"),
                "Claim another, or leave the id out");
  }
  if (!is_held && row.status != TaskStatus::pending)
    return fail(Code::refused, fmt::format("task {} is {}", id, to_string(row.status)));
  if (row.unmet > 0) {
    const auto waiting = TRY(scene.tables().tasks.unmet_blockers(team.id, row.id));
    std::vector<std::string> names;
    for (const TaskId blocker : waiting) names.push_back(std::to_string(blocker.value));
    return fail(Code::refused, fmt::format("task {} waits for {}", id, join(names, ", ")),
                "Complete what it waits for first");
  }
  const auto text = TRY(scene.tables().tasks.text(team.id, row.id));
  if (is_held) TRY_VOID(take_back(scene, actor, row, member));
  return claimed(scene, actor, team, member, row, text);
}

Result<void> check_transition(const TaskRow& row, TaskStatus to) {
  const auto from = row.status;
  if (from == to && from != TaskStatus::deleted) return {};
  const bool allowed = (from == TaskStatus::in_progress && to != TaskStatus::in_progress) ||
                       (from == TaskStatus::pending && (to == TaskStatus::deleted || to == TaskStatus::failed)) ||
                       (from == TaskStatus::failed && (to == TaskStatus::pending || to == TaskStatus::deleted));
  if (allowed) return {};
  std::string next;
  if (from == TaskStatus::pending) next = "Claim it first with `teamster task claim`";
  return fail(Code::refused,
              fmt::format("task {} is {} and cannot become {}", row.id.value, to_string(from), to_string(to)), next);
}

// Who may change the task: holders of its claim by token; when nobody has claimed it, anybody of the team.
Result<void> check_claim(Scene& scene, const TaskRow& row, const std::optional<std::string>& token) {
  if (row.status != TaskStatus::in_progress) {
    if (token)
      return fail(Code::refused,
                  fmt::format("the claim on task {} is over: it is {}", row.id.value, to_string(row.status)),
                  "Claim it again");
    return {};
  }
  if (token && equal_in_constant_time(*token, row.token)) return {};
  const auto owner = TRY(scene.tables().members.get(*row.owner));
  const std::string name = owner ? owner->name : "another member";
  if (!token)
    return fail(Code::refused, fmt::format("task {} is claimed by {}", row.id.value, name),
                "Give the claim's token with --token");
  return fail(Code::refused,
              fmt::format("the token is not that of the current claim on task {}, held by {}", row.id.value, name),
              "The claim may have been released and taken by another: claim a task again");
}

Error no_status(const std::string& name) {
  return {Code::invalid, fmt::format("{} is not a status", quoted(name, 80)),
          fmt::format("Use one of {}", join(task_status_names(), ", "))};
}

Result<TaskUpdated> changes_of(Scene& scene, const store::TeamRow& team, const TaskRow& row, const Json& args) {
  TaskUpdated changes{.id = row.id};
  const auto why = TRY(why_in(args, row.is_reserved));
  if (const auto status = TRY(optional_string_field(args, "status"))) {
    const auto to = task_status_from_string(*status);
    if (!to) return fail(no_status(*status));
    TRY_VOID(row.is_reserved ? check_reserved_transition(row, *to) : check_transition(row, *to));
    if (*to != row.status) changes.status = *to;
  }
  if (args.contains("subject")) changes.subject = TRY(checked_subject(args));
  if (args.contains("description")) changes.description = TRY(bounded_text(args, "description", limits::kBodyMaxBytes));
  if (args.contains("metadata") || why) {
    auto merged = parse_json(TRY(scene.tables().tasks.text(team.id, row.id)).metadata);
    Json metadata = merged ? *std::move(merged) : Json::object();
    metadata.merge_patch(TRY(checked_metadata(args)));
    if (why) metadata["why"] = *why;
    if (dump_json(metadata).size() > limits::kMetadataMaxBytes)
      return fail(Code::invalid,
                  fmt::format("the metadata would be over the limit of {} bytes", limits::kMetadataMaxBytes));
    changes.metadata = std::move(metadata);
  }
  changes.add_blocked_by = TRY(checked_blockers(scene, team, args, "add_blocked_by"));
  if (!changes.add_blocked_by.empty()) {
    if (row.status != TaskStatus::pending)
      return fail(Code::refused, fmt::format("task {} is {}: only a pending task can be made to wait", row.id.value,
                                             to_string(row.status)));
    TRY_VOID(refuse_cycle(scene, team, row.id, changes.add_blocked_by));
  }
  return changes;
}

}  // namespace

Result<Outcome> create_task(Scene& scene, const Actor& actor, const Json& args) {
  const auto team = TRY(resolve_team(scene, actor, args));
  const std::string subject = TRY(checked_subject(args));
  std::string description;
  if (args.contains("description")) description = TRY(bounded_text(args, "description", limits::kBodyMaxBytes));
  Json metadata = TRY(checked_metadata(args));
  auto blockers = TRY(checked_blockers(scene, team, args, "blocked_by"));
  const std::string reserved = TRY(reserved_text_in(actor, args));
  TRY_VOID(check_permanent(scene, team.id, subject));
  const TaskId id(TRY(scene.tables().tasks.last_id(team.id)).value + 1);
  if (id.value > static_cast<std::int64_t>(limits::kTasksPerTeamMax))
    return fail(Code::refused, fmt::format("team {} has {} tasks, the limit", team.name, limits::kTasksPerTeamMax));
  TaskCreated created{.id = id,
                      .subject = subject,
                      .description = description,
                      .metadata = std::move(metadata),
                      .blocked_by = std::move(blockers),
                      .reserved = reserved};
  TRY_VOID(scene.store.record(std::move(created), team.id, actor.name));
  return task_outcome(TRY(task_text(scene, team, TRY(find_task(scene, team, id.value)))));
}

Result<Outcome> get_task(Scene& scene, const Actor& actor, const Json& args) {
  const auto team = TRY(resolve_team(scene, actor, args, Code::not_found));
  const auto row = TRY(find_task(scene, team, TRY(integer_field(args, "id"))));
  return task_outcome(TRY(task_text(scene, team, row)));
}

Result<Outcome> list_tasks(Scene& scene, const Actor& actor, const Json& args) {
  const auto team = TRY(resolve_team(scene, actor, args, Code::not_found));
  store::TaskTable::Filter filter;
  if (const auto status = TRY(optional_string_field(args, "status"))) {
    filter.status = task_status_from_string(*status);
    if (!filter.status) return fail(no_status(*status));
  }
  if (const auto owner = TRY(optional_string_field(args, "owner"))) {
    const auto member = TRY(scene.tables().members.find(team.id, *owner));
    if (!member) return fail(Code::not_found, fmt::format("team {} has no member {}", team.name, quoted(*owner, 80)));
    filter.owner = member->id;
  }
  const auto limit = static_cast<std::size_t>(std::clamp<std::int64_t>(
      TRY(optional_integer_field(args, "limit")).value_or(limits::kPageMaxRows), 1, limits::kPageMaxRows));
  const TaskId after(TRY(optional_integer_field(args, "after")).value_or(0));
  std::string tasks = "[";
  std::size_t count = 0;
  std::optional<TaskId> next;
  for (const auto& row : TRY(scene.tables().tasks.page(team.id, filter, after, limit))) {
    if (count > 0) tasks += ',';
    tasks += TRY(task_text(scene, team, row));
    if (++count < limit && tasks.size() <= limits::kPageMaxBytes) continue;
    next = row.id;
    break;
  }
  JsonObjectText answer;
  answer.add_json("tasks", tasks + "]");
  next ? answer.add("next", next->value) : answer.add_null("next");
  return Outcome{answer.take(), {}, {}};
}

Result<Outcome> claim_task(Scene& scene, const Actor& actor, const Json& args) {
  const auto team = TRY(resolve_team(scene, actor, args));
  const auto member = TRY(resolve_self(scene, actor, team, args, "member"));
  if (member.is_operator())
    return fail(Code::refused, "the operator is no member and cannot claim", "Name a member with --member");
  const bool for_reserved = TRY(is_for_reserved(actor, args));
  if (const auto id = TRY(optional_integer_field(args, "id")))
    return claim_one(scene, actor, team, member, *id, for_reserved);
  if (for_reserved) return fail(Code::invalid, "no task is named", "A reserved task is claimed by its number");
  if (const auto free = TRY(scene.tables().tasks.next_free(team.id)))
    return claimed(scene, actor, team, member, free->row, free->text);
  return Outcome{R"({"task":null})", {Topic::tasks(team.id), Topic::lifecycle(team.id)}, {}};
}

Result<std::string> render_claim(Scene& scene, const std::string& text) {
  const Json recorded = TRY(parse_json(text));
  if (!recorded.contains("id")) return text;  // nothing was free
  const auto team = TRY(scene.tables().teams.get(TeamId(recorded.at("team_id").get<std::int64_t>())));
  if (!team) return fail(Code::refused, "the team of this claim is gone");
  const auto row = TRY(find_task(scene, *team, recorded.at("id").get<std::int64_t>()));
  return task_outcome(TRY(task_text(scene, *team, row, recorded.at("token").get_ref<const std::string&>()))).answer;
}

Result<Outcome> update_task(Scene& scene, const Actor& actor, const Json& args) {
  const auto team = TRY(resolve_team(scene, actor, args));
  TRY_VOID(resolve_self(scene, actor, team, args, "member", kOperator));
  const auto row = TRY(find_task(scene, team, TRY(integer_field(args, "id"))));
  const bool for_reserved = TRY(is_for_reserved(actor, args));
  TRY_VOID(check_reserved(scene, row, team.id, for_reserved, TaskUse::update));
  if (!for_reserved) TRY_VOID(check_claim(scene, row, TRY(optional_string_field(args, "token"))));
  auto changes = TRY(changes_of(scene, team, row, args));
  if (!changes.is_empty()) TRY_VOID(scene.store.record(std::move(changes), team.id, actor.name));
  return task_outcome(TRY(task_text(scene, team, TRY(find_task(scene, team, row.id.value)))));
}

}  // namespace teamster::team
