#include "store/task_table.h"

#include "protocol/words/task_records.h"
#include "store/sql_text.h"
#include "store/store_limits.h"

namespace teamster::store {
namespace {

TaskRow task_row_of(const Query& query) {
  TaskRow row;
  row.id = TaskId(query.integer(0));
  row.status = static_cast<TaskStatus>(query.integer(1));
  row.unmet = query.integer(2);
  if (!query.is_null(3)) row.owner = MemberId(query.integer(3));
  row.owner_epoch = Epoch(query.integer(4));
  row.token = query.text(5);
  row.created = WallTime{query.integer(6)};
  row.updated = WallTime{query.integer(7)};
  row.is_linked = query.integer(8) != 0;
  row.is_reserved = query.integer(9) != 0;
  return row;
}

TaskText text_of(const Query& query, int column) {
  return {std::string(query.text(column)), std::string(query.text(column + 1)), std::string(query.text(column + 2)),
          std::string(query.text(column + 3))};
}

// Whether tasks that wait for one of this status still have to.
bool holds_up(TaskStatus status) { return status != TaskStatus::completed && status != TaskStatus::deleted; }

Result<std::vector<TaskId>> tasks_in(Query& query) {
  std::vector<TaskId> ids;
  while (TRY(query.next())) ids.emplace_back(query.integer(0));
  return ids;
}

#define TASK_COLUMNS                                                                      \
  "SELECT id, status, unmet, owner, owner_epoch, token, created_ms, updated_ms, linked, " \
  "reserved FROM task "

}  // namespace

Result<std::optional<TaskRow>> TaskTable::get(TeamId team, TaskId id) {
  auto query = database_.query(TASK_COLUMNS "WHERE team = ? AND id = ?");
  if (!TRY(query.with(team.value).with(id.value).next())) return std::optional<TaskRow>();
  return std::optional<TaskRow>(task_row_of(query));
}

Result<TaskText> TaskTable::text(TeamId team, TaskId id) {
  auto query =
      database_.query("SELECT subject, description, metadata, reserved FROM task_text WHERE team = ? AND id = ?");
  if (!TRY(query.with(team.value).with(id.value).next())) return TaskText{};
  return text_of(query, 0);
}

Result<std::optional<TaskTable::Free>> TaskTable::next_free(TeamId team) {
  if (free_.size() >= kTeamsWithFreeTasksMax && !free_.contains(team)) free_.clear();
  FreeTasks& free = free_[team];
  TRY_VOID(look_for_free(team, free));
  const TaskRow* lowest = free.lowest();
  if (lowest == nullptr) return std::optional<Free>();
  auto its_text = TRY(text(team, lowest->id));
  return std::optional<Free>(Free{*lowest, std::move(its_text)});
}

Result<void> TaskTable::look_for_free(TeamId team, FreeTasks& free) {
  while (free.lowest() == nullptr && free.known_to() != FreeTasks::kAll) {
    auto query =
        database_.query(sql<TASK_COLUMNS "WHERE team = ? AND id > ? AND status = ", number(TaskStatus::pending),
                            " AND unmet = 0 AND reserved = 0 ORDER BY id LIMIT ?">);
    query.with(team.value).with(free.known_to().value).with(static_cast<std::int64_t>(kFreeTasksLookedForAtOnce));
    std::vector<TaskRow> found;
    while (TRY(query.next())) found.push_back(task_row_of(query));
    free.extend(found, found.size() < kFreeTasksLookedForAtOnce ? FreeTasks::kAll : found.back().id);
  }
  return {};
}

Result<void> TaskTable::note_changed(TeamId team, TaskId id) {
  const auto free = free_.find(team);
  if (free == free_.end()) return {};
  if (const auto row = TRY(get(team, id))) free->second.update(*row);
  return {};
}

Result<TaskId> TaskTable::last_id(TeamId team) {
  auto query = database_.query("SELECT max(id) FROM task WHERE team = ?");
  TRY_VOID(query.with(team.value).next());
  return TaskId(query.integer(0));
}

Result<std::vector<TaskRow>> TaskTable::page(TeamId team, const Filter& filter, TaskId after, std::size_t limit) {
  auto query = database_.query(
      sql<TASK_COLUMNS "WHERE team = ?1 AND id > ?2 AND ((?3 IS NULL AND status <> ", number(TaskStatus::deleted),
          ") OR status = ?3) AND (?4 IS NULL OR owner = ?4) ORDER BY id LIMIT ?5">);
  query.with(team.value).with(after.value);
  filter.status ? query.with(static_cast<std::int64_t>(*filter.status)) : query.with_null();
  filter.owner ? query.with(filter.owner->value) : query.with_null();
  query.with(static_cast<std::int64_t>(limit));
  std::vector<TaskRow> rows;
  while (TRY(query.next())) rows.push_back(task_row_of(query));
  return rows;
}

#undef TASK_COLUMNS

Result<std::map<MemberId, std::vector<TaskId>>> TaskTable::held(TeamId team) {
  auto query = database_.query(
      sql<"SELECT owner, id FROM task WHERE team = ? AND status = ", number(TaskStatus::in_progress), " ORDER BY id">);
  query.with(team.value);
  std::map<MemberId, std::vector<TaskId>> held;
  while (TRY(query.next())) held[MemberId(query.integer(0))].emplace_back(query.integer(1));
  return held;
}

Result<std::int64_t> TaskTable::count(TeamId team, TaskStatus status) {
  auto query = database_.query("SELECT count(*) FROM task WHERE team = ? AND status = ?");
  TRY_VOID(query.with(team.value).with(static_cast<std::int64_t>(status)).next());
  return query.integer(0);
}

Result<std::vector<TaskId>> TaskTable::blockers(TeamId team, TaskId blocked) {
  auto query = database_.query("SELECT blocker FROM task_blocker WHERE team = ? AND blocked = ? ORDER BY blocker");
  return tasks_in(query.with(team.value).with(blocked.value));
}

Result<std::vector<TaskId>> TaskTable::blocks(TeamId team, TaskId blocker) {
  auto query = database_.query("SELECT blocked FROM task_blocker WHERE team = ? AND blocker = ? ORDER BY blocked");
  return tasks_in(query.with(team.value).with(blocker.value));
}

Result<std::vector<TaskId>> TaskTable::unmet_blockers(TeamId team, TaskId blocked) {
  auto query =
      database_.query(sql<"SELECT b.blocker FROM task_blocker b JOIN task t ON t.team = b.team AND t.id = b.blocker "
                          "WHERE b.team = ? AND b.blocked = ? AND t.status <> ",
                          number(TaskStatus::completed), " ORDER BY b.blocker">);
  return tasks_in(query.with(team.value).with(blocked.value));
}

Result<void> TaskTable::add_blockers(TeamId team, TaskId blocked, const Json& blockers) {
  for (const auto& blocker : blockers) {
    TRY_VOID(database_.query("INSERT OR IGNORE INTO task_blocker(team, blocked, blocker) VALUES(?, ?, ?)")
                 .with(team.value)
                 .with(blocked.value)
                 .with(blocker.get<std::int64_t>())
                 .run());
    TRY_VOID(database_.query("UPDATE task SET linked = 1 WHERE team = ? AND id IN (?, ?)")
                 .with(team.value)
                 .with(blocked.value)
                 .with(blocker.get<std::int64_t>())
                 .run());
    TRY_VOID(note_changed(team, TaskId(blocker.get<std::int64_t>())));
  }
  TRY_VOID(database_
               .query(sql<"UPDATE task SET unmet = (SELECT count(*) FROM task_blocker b JOIN task t ON "
                          "t.team = b.team AND t.id = b.blocker WHERE b.team = ?1 AND b.blocked = ?2 AND t.status <> ",
                          number(TaskStatus::completed), ") WHERE team = ?1 AND id = ?2">)
               .with(team.value)
               .with(blocked.value)
               .run());
  return note_changed(team, blocked);
}

Result<void> TaskTable::apply_created(const Event& event) {
  const Json& body = event.body;
  const TaskId id = task_id_in(body);
  const TaskCreated created = TaskCreated::read(body);
  TRY_VOID(database_
               .query(sql<"INSERT INTO task(team, id, status, unmet, linked, reserved, created_ms, updated_ms) "
                          "VALUES(?1, ?2, ",
                          number(TaskStatus::pending), ", 0, 0, ?3, ?4, ?4)">)
               .with(event.team.value)
               .with(id.value)
               .with(created.reserved.empty() ? 0 : 1)
               .with(event.at.unix_ms)
               .run());
  const Json* given = metadata_in(body);
  const std::string metadata = given != nullptr ? dump_json(*given) : "{}";
  auto texts = database_.query(
      "INSERT INTO task_text(team, id, subject, description, metadata, reserved) VALUES(?, ?, ?, ?, ?, ?)");
  texts.with(event.team.value).with(id.value).with(created.subject).with(created.description).with(metadata);
  created.reserved.empty() ? texts.with_null() : texts.with(created.reserved);
  TRY_VOID(texts.run());
  if (const auto free = free_.find(event.team); free != free_.end()) {
    TaskRow row;
    row.id = id;
    row.is_reserved = !created.reserved.empty();
    row.created = row.updated = event.at;
    free->second.update(row);
  }
  const Json& blockers = TaskCreated::blocked_by_in(body);
  if (blockers.empty()) return {};
  return add_blockers(event.team, id, blockers);
}

Result<void> TaskTable::apply_claimed(const Event& event) {
  const TaskClaimed claimed = TaskClaimed::read(event.body);
  if (const auto free = free_.find(event.team); free != free_.end()) free->second.remove(claimed.id);
  return database_
      .query(sql<"UPDATE task SET status = ", number(TaskStatus::in_progress),
                 ", owner = ?, owner_epoch = ?, token = ?, updated_ms = ? WHERE team = ? AND id = ?">)
      .with(claimed.member_id.value)
      .with(claimed.epoch.value)
      .with(claimed.token)
      .with(event.at.unix_ms)
      .with(event.team.value)
      .with(claimed.id.value)
      .run();
}

Result<void> TaskTable::set_status(const Event& event, TaskId id, TaskStatus status) {
  const auto before = TRY(get(event.team, id));
  // A task that nobody works on has no token; a finished one keeps the name of who did it.
  const bool keeps_owner = status == TaskStatus::completed || status == TaskStatus::failed;
  TRY_VOID(database_
               .query(keeps_owner ? "UPDATE task SET status = ?, token = NULL WHERE team = ? AND id = ?"
                                  : "UPDATE task SET status = ?, token = NULL, owner = NULL, owner_epoch = NULL "
                                    "WHERE team = ? AND id = ?")
               .with(static_cast<std::int64_t>(status))
               .with(event.team.value)
               .with(id.value)
               .run());
  TRY_VOID(note_changed(event.team, id));
  if (!before || !before->is_linked) return {};
  if (holds_up(before->status) != holds_up(status)) {
    // A reserved task may also be taken up again after it was completed: who waits for it waits again.
    TRY_VOID(database_
                 .query("UPDATE task SET unmet = unmet + ?3 WHERE team = ?1 AND id IN "
                        "(SELECT blocked FROM task_blocker WHERE team = ?1 AND blocker = ?2)")
                 .with(event.team.value)
                 .with(id.value)
                 .with(holds_up(status) ? 1 : -1)
                 .run());
    for (const TaskId blocked : TRY(blocks(event.team, id))) TRY_VOID(note_changed(event.team, blocked));
  }
  if (status != TaskStatus::deleted) return {};
  return database_.query("DELETE FROM task_blocker WHERE team = ?1 AND (blocker = ?2 OR blocked = ?2)")
      .with(event.team.value)
      .with(id.value)
      .run();
}

Result<void> TaskTable::change_texts(const Event& event, TaskId id) {
  const Json* subject = TaskUpdated::subject_in(event.body);
  const Json* description = TaskUpdated::description_in(event.body);
  const Json* metadata = metadata_in(event.body);
  if (subject == nullptr && description == nullptr && metadata == nullptr) return {};
  TaskText text = TRY(this->text(event.team, id));
  if (subject != nullptr) text.subject = subject->get<std::string>();
  if (description != nullptr) text.description = description->get<std::string>();
  if (metadata != nullptr) text.metadata = dump_json(*metadata);
  return database_.query("UPDATE task_text SET subject = ?, description = ?, metadata = ? WHERE team = ? AND id = ?")
      .with(text.subject)
      .with(text.description)
      .with(text.metadata)
      .with(event.team.value)
      .with(id.value)
      .run();
}

Result<void> TaskTable::apply_updated(const Event& event) {
  const Json& body = event.body;
  const TaskId id = task_id_in(body);
  if (const auto status = TaskUpdated::status_in(body)) TRY_VOID(set_status(event, id, *status));
  TRY_VOID(change_texts(event, id));
  if (const Json* blockers = TaskUpdated::add_blocked_by_in(body)) TRY_VOID(add_blockers(event.team, id, *blockers));
  TRY_VOID(database_.query("UPDATE task SET updated_ms = ? WHERE team = ? AND id = ?")
               .with(event.at.unix_ms)
               .with(event.team.value)
               .with(id.value)
               .run());
  return note_changed(event.team, id);
}

Result<void> TaskTable::apply_released(const Event& event) {
  for (const auto& id : TaskReleased::ids_in(event.body)) {
    TRY_VOID(set_status(event, TaskId(id.get<std::int64_t>()), TaskStatus::pending));
    TRY_VOID(database_.query("UPDATE task SET updated_ms = ? WHERE team = ? AND id = ?")
                 .with(event.at.unix_ms)
                 .with(event.team.value)
                 .with(id.get<std::int64_t>())
                 .run());
    TRY_VOID(note_changed(event.team, TaskId(id.get<std::int64_t>())));
  }
  return {};
}

Result<void> TaskTable::remove_team(TeamId team) {
  free_.erase(team);
  for (const char* sql : {"DELETE FROM task WHERE team = ?", "DELETE FROM task_text WHERE team = ?",
                          "DELETE FROM task_blocker WHERE team = ?"})
    TRY_VOID(database_.query(sql).with(team.value).run());
  return {};
}

}  // namespace teamster::store
