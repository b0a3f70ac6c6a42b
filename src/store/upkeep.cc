// The parts of Store that look after the file: removal of history, compaction, and the
// check that the projections are what the journal says.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "store/store.h"
#include "store/store_limits.h"

namespace teamster::store {
namespace {

// One row as text, for comparison and for the report.
std::string row_text(const Query& row) {
  std::string out;
  for (int column = 0; column < row.columns(); ++column)
    out += fmt::format("{}{}", column == 0 ? "" : " | ", row.is_null(column) ? "NULL" : row.text(column));
  return out;
}

Result<std::vector<std::string>> rows_of(Database& database, std::string_view table) {
  std::vector<std::string> rows;
  TRY_VOID(database.each_row(fmt::format("SELECT * FROM {} ORDER BY 1, 2, 3", table),
                             [&](Query& row) { rows.push_back(row_text(row)); }));
  return rows;
}

}  // namespace

Result<std::int64_t> Store::remove_team_history(TeamId team) {
  const auto events = TRY(journal_->remove(team));
  TRY_VOID(projection_.remove_team(team));
  return events;
}

Result<std::int64_t> Store::remove_run_history(RunId run) {
  const auto events = TRY(journal_->remove(run));
  TRY_VOID(projection_.runs.remove(run));
  return events;
}

Result<bool> Store::compact() {
  const auto pages = TRY(database_.integer("PRAGMA page_count"));
  const auto free_pages = TRY(database_.integer("PRAGMA freelist_count"));
  if (free_pages < kFreePagesToCompactMin || free_pages * kFreeShareToCompact < pages) return false;
  TRY_VOID(database_.execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);"));
  return true;
}

Result<void> Store::rebuild_into(Database& target) {
  Projection projection(target);
  for (Seq after{};;) {
    const auto page = TRY(journal_->follow({.after = after, .max_bytes = limits::kFrameMaxBytes}));
    if (page.events.empty()) return projection.write_out();
    for (const auto& event : page.events) TRY_VOID(projection.apply(event));
    after = page.last;
  }
}

Result<std::vector<std::string>> Store::compare_with(Database& rebuilt) {
  std::vector<std::string> problems;
  for (const auto table : kProjectionTables) {
    const auto stored = TRY(rows_of(database_, table));
    const auto derived = TRY(rows_of(rebuilt, table));
    if (stored == derived) continue;
    std::size_t at = 0;
    while (at < stored.size() && at < derived.size() && stored[at] == derived[at]) ++at;
    problems.push_back(fmt::format("table {} differs from the journal at row {}: stored '{}', derived '{}'", table, at,
                                   at < stored.size() ? stored[at] : "(none)",
                                   at < derived.size() ? derived[at] : "(none)"));
  }
  return problems;
}

Result<std::vector<std::string>> Store::check(bool rebuild) {
  std::vector<std::string> problems;
  TRY_VOID(database_.each_row("PRAGMA quick_check(10)", [&](Query& row) {
    if (row.text(0) != "ok") problems.push_back(fmt::format("store file: {}", row.text(0)));
  }));
  if (!problems.empty() || !rebuild) return problems;
  TRY_VOID(projection_.write_out());  // it may be asked for in the middle of a batch
  auto rebuilt = TRY(Database::open(":memory:", ""));
  TRY_VOID(rebuilt.execute(kProjectionSchema));
  TRY_VOID(rebuild_into(rebuilt));
  return compare_with(rebuilt);
}

}  // namespace teamster::store
