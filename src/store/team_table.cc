#include "store/team_table.h"

#include <algorithm>

#include "store/store_limits.h"

namespace teamster::store {
namespace {

TeamRow team_row_of(const Query& query) {
  TeamRow row;
  row.id = TeamId(query.integer(0));
  row.name = query.text(1);
  row.created = WallTime{query.integer(2)};
  if (!query.is_null(3)) row.deleted = WallTime{query.integer(3)};
  row.owner = OwnerRecord::parse(std::string(query.text(4)));
  if (!query.is_null(5)) row.shutdown_since = WallTime{query.integer(5)};
  if (!query.is_null(6)) row.shutdown_due = WallTime{query.integer(6)};
  row.project = query.text(7);
  return row;
}

Result<std::optional<TeamRow>> team_in(Query& query) {
  if (!TRY(query.next())) return std::optional<TeamRow>();
  return std::optional<TeamRow>(team_row_of(query));
}

Result<std::vector<TeamRow>> all(Query& query) {
  std::vector<TeamRow> rows;
  while (TRY(query.next())) rows.push_back(team_row_of(query));
  return rows;
}

#define TEAM_COLUMNS "SELECT id, name, created_ms, deleted_ms, owner, shutdown_ms, shutdown_due_ms, project FROM team "

}  // namespace

Result<std::optional<TeamRow>> TeamTable::find(const TeamRef& ref) {
  auto query = database_.query(TEAM_COLUMNS "WHERE name = ? AND tag = ? AND deleted_ms IS NULL");
  return team_in(query.with(ref.name).with(ref.tag));
}

Result<std::vector<TeamRow>> TeamTable::named(std::string_view name) {
  auto query = database_.query(TEAM_COLUMNS "WHERE name = ? AND deleted_ms IS NULL ORDER BY tag");
  return all(query.with(name));
}

Result<std::optional<TeamRow>> TeamTable::get(TeamId id) {
  if (const auto known = known_.find(id); known != known_.end()) return std::optional<TeamRow>(known->second);
  auto query = database_.query(TEAM_COLUMNS "WHERE id = ?");
  auto row = TRY(team_in(query.with(id.value)));
  if (known_.size() >= kKnownTeamsMax) known_.clear();
  if (row) known_.emplace(id, *row);
  return row;
}

Result<std::vector<TeamRow>> TeamTable::list() {
  auto query = database_.query(TEAM_COLUMNS "WHERE deleted_ms IS NULL ORDER BY name, tag");
  return all(query);
}

Result<std::vector<std::string>> TeamTable::refs() {
  auto query = database_.query("SELECT name, tag FROM team WHERE deleted_ms IS NULL");
  std::vector<std::string> refs;
  while (TRY(query.next())) refs.push_back(TeamRef{std::string(query.text(0)), std::string(query.text(1))}.text());
  std::sort(refs.begin(), refs.end());
  return refs;
}

Result<std::vector<TeamRow>> TeamTable::shutdown_due_by(WallTime now) {
  auto query = database_.query(TEAM_COLUMNS "WHERE shutdown_due_ms <= ? ORDER BY id");
  return all(query.with(now.unix_ms));
}

Result<std::optional<WallTime>> TeamTable::next_shutdown_due() {
  auto query = database_.query("SELECT min(shutdown_due_ms) FROM team WHERE shutdown_due_ms IS NOT NULL");
  if (!TRY(query.next()) || query.is_null(0)) return std::optional<WallTime>();
  return std::optional<WallTime>(WallTime{query.integer(0)});
}

Result<std::vector<TeamRow>> TeamTable::deleted_before(WallTime time) {
  auto query = database_.query(TEAM_COLUMNS "WHERE deleted_ms < ? ORDER BY id");
  return all(query.with(time.unix_ms));
}

#undef TEAM_COLUMNS

Result<void> TeamTable::apply_created(const Event& event) {
  forget();
  const std::string owner = TeamCreated::owner_text_in(event.body);
  const std::string project = TeamCreated::project_in(event.body);
  return database_.query("INSERT INTO team(id, name, created_ms, owner, project, tag) VALUES(?, ?, ?, ?, ?, ?)")
      .with(event.seq.value)
      .with(TeamCreated::team_in(event.body))
      .with(event.at.unix_ms)
      .with(owner)
      .with(project)
      .with(project_tag(project))
      .run();
}

Result<void> TeamTable::apply_shutdown(const Event& event) {
  forget();
  // Without a due time the handshake is over.
  const auto due = TeamShutdown::due_in(event.body);
  if (!due) return database_.query("UPDATE team SET shutdown_due_ms = NULL WHERE id = ?").with(event.team.value).run();
  return database_.query("UPDATE team SET shutdown_ms = ?, shutdown_due_ms = ? WHERE id = ?")
      .with(event.at.unix_ms)
      .with(due->unix_ms)
      .with(event.team.value)
      .run();
}

Result<void> TeamTable::apply_deleted(const Event& event) {
  forget();
  return database_.query("UPDATE team SET deleted_ms = ?, shutdown_due_ms = NULL WHERE id = ?")
      .with(event.at.unix_ms)
      .with(event.team.value)
      .run();
}

Result<void> TeamTable::remove(TeamId id) {
  forget();
  return database_.query("DELETE FROM team WHERE id = ?").with(id.value).run();
}

}  // namespace teamster::store
