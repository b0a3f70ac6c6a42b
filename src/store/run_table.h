// Projection of runs: which there are, who holds the lease of each, how far its records go.
// Read by the rules; changed by Projection::apply alone. Rows are remembered, because the
// engine appends to the same few runs all the time.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/process_identity.h"
#include "base/result.h"
#include "base/time.h"
#include "store/database.h"
#include "store/event.h"

namespace teamster::store {

struct RunRow {
  RunId id;
  std::string name;
  std::string workflow;
  std::optional<std::string> key;
  WallTime started;
  std::optional<WallTime> ended;
  std::string status;                     // how it ended; empty before
  Lease lease;                            // the newest
  std::optional<ProcessIdentity> holder;  // the process that has it; empty when nobody has
  std::int64_t lease_ms = 0;
  WallTime renewed;         // the last sign of life of the holder
  std::int64_t last_n = 0;  // number of the last record
  std::int64_t own_n = 0;   // number of the last one that a holder wrote

  WallTime lease_until() const { return WallTime{renewed.unix_ms + lease_ms}; }
};

class RunTable {
 public:
  explicit RunTable(Database& database) : database_(database) {}

  Result<std::optional<RunRow>> find(std::string_view name);
  Result<std::optional<RunRow>> get(RunId id);
  // Number of its last record, without a copy of the row: each append asks for it. nullopt when there is no such run.
  Result<std::optional<std::int64_t>> last_number(RunId id);
  // The one of this workflow and key that has not ended.
  Result<std::optional<RunRow>> find_live(std::string_view workflow, std::string_view key);
  // By age, those after `after`; without `all` only those that have not ended.
  Result<std::vector<RunRow>> page(bool all, RunId after, std::size_t limit);
  Result<std::vector<RunRow>> ended_before(WallTime time);
  // The newest first.
  Result<std::vector<std::string>> newest_names(std::size_t limit);

  Result<void> apply(const Event& event);
  Result<void> remove(RunId id);
  // After a rollback: what is remembered may be wrong.
  void forget() {
    known_.clear();
    by_name_.clear();
  }

 private:
  Result<void> apply_started(const Event& event);
  // Writes what every record changes, or all that can change.
  Result<void> write_progress(const RunRow& row);
  Result<void> write(const RunRow& row);
  // The remembered row, nullptr when there is none. Good until the next call.
  Result<RunRow*> known(RunId id);
  RunRow* remember(RunRow row);

  Database& database_;
  std::map<RunId, RunRow> known_;
  std::map<std::string, RunId, std::less<>> by_name_;  // of the known ones
};

}  // namespace teamster::store
