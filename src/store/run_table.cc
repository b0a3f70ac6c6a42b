#include "store/run_table.h"

#include <nlohmann/json.hpp>

#include "protocol/words/process_record.h"
#include "protocol/words/run_records.h"
#include "protocol/words/told.h"
#include "store/store_limits.h"

namespace teamster::store {
namespace {

std::string holder_text(const RunRow& row) { return row.holder ? dump_json(process_record(*row.holder)) : ""; }

std::optional<ProcessIdentity> holder_of(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const auto record = parse_json(text);
  // Somebody has it, whoever that is.
  return record ? read_process_record(*record).value_or(ProcessIdentity{}) : ProcessIdentity{};
}

RunRow run_row_of(const Query& query) {
  RunRow row;
  row.id = RunId(query.integer(0));
  row.name = query.text(1);
  row.workflow = query.text(2);
  if (!query.is_null(3)) row.key = query.text(3);
  row.started = WallTime{query.integer(4)};
  if (!query.is_null(5)) row.ended = WallTime{query.integer(5)};
  row.status = query.text(6);
  row.lease = Lease(query.integer(7));
  row.holder = holder_of(query.text(8));
  row.lease_ms = query.integer(9);
  row.renewed = WallTime{query.integer(10)};
  row.last_n = query.integer(11);
  row.own_n = query.integer(12);
  return row;
}

Result<std::optional<RunRow>> run_in(Query& query) {
  if (!TRY(query.next())) return std::optional<RunRow>();
  return std::optional<RunRow>(run_row_of(query));
}

Result<std::vector<RunRow>> all_of(Query& query) {
  std::vector<RunRow> rows;
  while (TRY(query.next())) rows.push_back(run_row_of(query));
  return rows;
}

#define RUN_COLUMNS                                                                                             \
  "SELECT id, name, workflow, key, started_ms, ended_ms, status, lease, holder, lease_ms, renewed_ms, last_n, " \
  "own_n FROM run "

}  // namespace

RunRow* RunTable::remember(RunRow row) {
  if (known_.size() >= kKnownRunsMax) forget();
  by_name_[row.name] = row.id;
  return &known_.insert_or_assign(row.id, std::move(row)).first->second;
}

Result<RunRow*> RunTable::known(RunId id) {
  if (const auto found = known_.find(id); found != known_.end()) return &found->second;
  auto query = database_.query(RUN_COLUMNS "WHERE id = ?");
  auto row = TRY(run_in(query.with(id.value)));
  return row ? remember(*std::move(row)) : nullptr;
}

Result<std::optional<RunRow>> RunTable::get(RunId id) {
  const RunRow* row = TRY(known(id));
  return row != nullptr ? std::optional<RunRow>(*row) : std::nullopt;
}

Result<std::optional<std::int64_t>> RunTable::last_number(RunId id) {
  const RunRow* row = TRY(known(id));
  return row != nullptr ? std::optional(row->last_n) : std::nullopt;
}

Result<std::optional<RunRow>> RunTable::find(std::string_view name) {
  if (const auto found = by_name_.find(name); found != by_name_.end()) return get(found->second);
  auto query = database_.query(RUN_COLUMNS "WHERE name = ?");
  auto row = TRY(run_in(query.with(name)));
  if (row) remember(*row);
  return row;
}

Result<std::optional<RunRow>> RunTable::find_live(std::string_view workflow, std::string_view key) {
  auto query = database_.query(RUN_COLUMNS "WHERE workflow = ? AND key = ? AND ended_ms IS NULL AND key IS NOT NULL");
  return run_in(query.with(workflow).with(key));
}

Result<std::vector<RunRow>> RunTable::page(bool all, RunId after, std::size_t limit) {
  auto query =
      database_.query(all ? RUN_COLUMNS "WHERE id > ? ORDER BY id LIMIT ?"
                          : RUN_COLUMNS "INDEXED BY run_live WHERE id > ? AND ended_ms IS NULL ORDER BY id LIMIT ?");
  return all_of(query.with(after.value).with(static_cast<std::int64_t>(limit)));
}

Result<std::vector<RunRow>> RunTable::ended_before(WallTime time) {
  auto query = database_.query(RUN_COLUMNS "WHERE ended_ms IS NOT NULL AND ended_ms < ? ORDER BY ended_ms");
  return all_of(query.with(time.unix_ms));
}

#undef RUN_COLUMNS

Result<std::vector<std::string>> RunTable::newest_names(std::size_t limit) {
  auto query = database_.query("SELECT name FROM run ORDER BY id DESC LIMIT ?");
  query.with(static_cast<std::int64_t>(limit));
  std::vector<std::string> names;
  while (TRY(query.next())) names.emplace_back(query.text(0));
  return names;
}

Result<void> RunTable::apply(const Event& event) {
  if (event.kind == kind::kRunStarted) return apply_started(event);
  RunRow* row = TRY(known(event.run));
  if (row == nullptr)
    return fail(Code::failed, "event " + std::to_string(event.seq.value) + " belongs to a run that was not started");
  row->last_n = event.n;
  if (event.kind == kind::kRunTold) {
    if (!row->ended || RunTold::read(event.body).what != told::kReopen) return write_progress(*row);
    row->ended.reset();
    row->status.clear();
    return write(*row);
  }
  row->renewed = event.at;
  if (event.kind == kind::kRunRenewed) {
    row->lease_ms = RunRenewed::lease_ms_in(event.body);
    return write_progress(*row);
  }
  row->own_n = event.n;
  if (event.kind == kind::kRunLeased) {
    const RunLeased leased = RunLeased::read(event.body);
    row->lease = leased.lease;
    row->holder = leased.holder;
    row->lease_ms = leased.lease_ms;
  } else if (event.kind == kind::kRunReleased) {
    row->holder.reset();
  } else if (event.kind == kind::kRunEnded) {
    row->holder.reset();
    row->ended = event.at;
    row->status = RunEnded::status_in(event.body);
  } else {
    return write_progress(*row);
  }
  return write(*row);
}

Result<void> RunTable::apply_started(const Event& event) {
  RunStarted started = RunStarted::read(event.body);
  RunRow row;
  row.id = event.run;
  row.name = std::move(started.run);
  row.workflow = std::move(started.workflow);
  row.key = std::move(started.key);
  row.started = event.at;
  row.lease = Lease(1);
  row.holder = std::move(started.holder);
  row.lease_ms = started.lease_ms;
  row.renewed = event.at;
  row.last_n = event.n;
  row.own_n = event.n;
  auto query = database_.query(
      "INSERT INTO run(id, name, workflow, started_ms, status, lease, holder, lease_ms, renewed_ms, last_n, own_n, "
      "key) "
      "VALUES(?, ?, ?, ?, '', ?, ?, ?, ?, ?, ?, ?)");
  query.with(row.id.value).with(row.name).with(row.workflow).with(row.started.unix_ms).with(row.lease.value);
  const std::string holder = holder_text(row);
  query.with(holder).with(row.lease_ms).with(row.renewed.unix_ms).with(row.last_n).with(row.own_n);
  row.key ? query.with(*row.key) : query.with_null();
  TRY_VOID(query.run());
  remember(std::move(row));
  return {};
}

Result<void> RunTable::write_progress(const RunRow& row) {
  return database_.query("UPDATE run SET lease_ms = ?, renewed_ms = ?, last_n = ?, own_n = ? WHERE id = ?")
      .with(row.lease_ms)
      .with(row.renewed.unix_ms)
      .with(row.last_n)
      .with(row.own_n)
      .with(row.id.value)
      .run();
}

Result<void> RunTable::write(const RunRow& row) {
  TRY_VOID(write_progress(row));
  auto query = database_.query("UPDATE run SET lease = ?, holder = ?, status = ?, ended_ms = ? WHERE id = ?");
  const std::string holder = holder_text(row);
  query.with(row.lease.value).with(holder).with(row.status);
  row.ended ? query.with(row.ended->unix_ms) : query.with_null();
  return query.with(row.id.value).run();
}

Result<void> RunTable::remove(RunId id) {
  forget();
  return database_.query("DELETE FROM run WHERE id = ?").with(id.value).run();
}

}  // namespace teamster::store
