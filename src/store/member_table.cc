#include "store/member_table.h"

#include "protocol/words/addresses.h"
#include "protocol/words/team_records.h"
#include "store/store_limits.h"

namespace teamster::store {
namespace {

MemberRow member_row_of(const Query& query) {
  MemberRow row;
  row.id = MemberId(query.integer(0));
  row.team = TeamId(query.integer(1));
  row.name = query.text(2);
  row.epoch = Epoch(query.integer(3));
  row.live = query.integer(4) != 0;
  row.running = query.integer(5) != 0;
  row.joined = WallTime{query.integer(6)};
  if (!query.is_null(7)) row.left = WallTime{query.integer(7)};
  row.left_why = query.text(8);
  row.shutdown_answer = query.text(9);
  row.usage = {query.integer(10), query.integer(11), query.integer(12),
               query.integer(13), query.integer(14), query.integer(15)};
  row.is_native = query.integer(16) != 0;
  return row;
}

#define MEMBER_COLUMNS                                                                                  \
  "SELECT id, team, name, epoch, live, running, joined_ms, left_ms, left_why, shutdown_answer, turns, " \
  "input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_microusd, native FROM member "

}  // namespace

Result<std::optional<MemberRow>> MemberTable::find(TeamId team, std::string_view name) {
  if (const auto known = by_name_.find({team, std::string(name)}); known != by_name_.end()) return get(known->second);
  auto query = database_.query(MEMBER_COLUMNS "WHERE team = ? AND name = ?");
  return one(query.with(team.value).with(name));
}

Result<std::optional<MemberRow>> MemberTable::get(MemberId id) {
  if (const auto known = known_.find(id); known != known_.end()) return std::optional<MemberRow>(known->second);
  auto query = database_.query(MEMBER_COLUMNS "WHERE id = ?");
  return one(query.with(id.value));
}

Result<std::optional<MemberRow>> MemberTable::one(Query& query) {
  if (!TRY(query.next())) return std::optional<MemberRow>();
  if (known_.size() >= kKnownMembersMax) forget();
  MemberRow row = member_row_of(query);
  known_[row.id] = row;
  by_name_[{row.team, row.name}] = row.id;
  return std::optional<MemberRow>(std::move(row));
}

Result<std::vector<MemberRow>> MemberTable::list(TeamId team) {
  auto query = database_.query(MEMBER_COLUMNS "WHERE team = ? AND id <> team ORDER BY name");
  query.with(team.value);
  std::vector<MemberRow> rows;
  while (TRY(query.next())) rows.push_back(member_row_of(query));
  return rows;
}

#undef MEMBER_COLUMNS

Result<void> MemberTable::add_operator(const Event& team_created) {
  forget();
  return database_
      .query("INSERT INTO member(id, team, name, epoch, live, running, joined_ms) VALUES(?, ?, ?, 1, 1, 0, ?)")
      .with(team_created.seq.value)
      .with(team_created.seq.value)
      .with(kOperator)
      .with(team_created.at.unix_ms)
      .run();
}

Result<void> MemberTable::apply_joined(const Event& event) {
  forget();
  const MemberJoined joined = MemberJoined::read(event.body);
  // A returning member keeps its id: what was sent to its name is still its own.
  return database_
      .query(
          "INSERT INTO member(id, team, name, epoch, live, running, native, joined_ms) VALUES(?, ?, ?, ?, 1, 0, ?, ?) "
          "ON CONFLICT(id) DO UPDATE SET epoch = excluded.epoch, live = 1, running = 0, native = excluded.native, "
          "joined_ms = excluded.joined_ms, left_ms = NULL, left_why = NULL, shutdown_answer = NULL")
      .with(joined.member_id.value)
      .with(event.team.value)
      .with(joined.member)
      .with(joined.epoch.value)
      .with(joined.is_native ? 1 : 0)
      .with(event.at.unix_ms)
      .run();
}

Result<void> MemberTable::apply_left(const Event& event) {
  forget();
  return database_.query("UPDATE member SET live = 0, running = 0, left_ms = ?, left_why = ? WHERE id = ?")
      .with(event.at.unix_ms)
      .with(reason_in(event.body))
      .with(member_id_in(event.body).value)
      .run();
}

Result<void> MemberTable::apply_turn(const Event& event) {
  forget();
  const MemberId member = member_id_in(event.body);
  TRY_VOID(database_.query("UPDATE member SET running = ? WHERE id = ?")
               .with(MemberTurn::is_running_in(event.body) ? 1 : 0)
               .with(member.value)
               .run());
  const auto usage = MemberTurn::usage_in(event.body);
  if (!usage) return {};
  return database_
      .query(
          "UPDATE member SET turns = turns + 1, input_tokens = input_tokens + ?, output_tokens = output_tokens + ?, "
          "cache_read_tokens = cache_read_tokens + ?, cache_write_tokens = cache_write_tokens + ?, "
          "cost_microusd = cost_microusd + ? WHERE id = ?")
      .with(usage->input_tokens)
      .with(usage->output_tokens)
      .with(usage->cache_read_tokens)
      .with(usage->cache_write_tokens)
      .with(usage->cost_microusd.value_or(0))
      .with(member.value)
      .run();
}

Result<void> MemberTable::apply_rejected_shutdown(const Event& event) {
  forget();
  return database_.query("UPDATE member SET shutdown_answer = ? WHERE id = ?")
      .with(reason_in(event.body))
      .with(member_id_in(event.body).value)
      .run();
}

Result<void> MemberTable::apply_shutdown(const Event& event) {
  forget();
  if (!TeamShutdown::due_in(event.body)) return {};
  return database_.query("UPDATE member SET shutdown_answer = NULL WHERE team = ?").with(event.team.value).run();
}

Result<void> MemberTable::remove_team(TeamId team) {
  forget();
  return database_.query("DELETE FROM member WHERE team = ?").with(team.value).run();
}

}  // namespace teamster::store
