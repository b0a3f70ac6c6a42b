// Store: the journal of one home (journal.h) and its projections, in one SQLite file. Owned by the
// hub and driven by its loop thread. Work is done in batches: begin, any number of
// commands, commit; what commit returned for is on disk (see syncs_commits). A command
// fails before it records anything, and then leaves nothing; a failure of the store itself
// undoes the batch whole.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/limits.h"
#include "base/process_identity.h"
#include "base/result.h"
#include "base/time.h"
#include "store/database.h"
#include "store/event.h"
#include "store/fresh_keys.h"
#include "store/journal.h"
#include "store/projection.h"
#include "store/schema.h"
#include "store/sqlite_journal.h"

namespace teamster::store {

// Takes the journal from format `to - 1` to `to`. Projections are rebuilt after the last step.
struct Migration {
  int to;
  std::string sql;
};

struct StoreOptions {
  std::string path;
  std::string vfs;  // empty: the system's
  // Whether the owner of a team, or the holder of a run until its lease ends, still lives; a file of an older format is
  // not migrated under a live one.
  std::function<bool(const ProcessIdentity& process, std::optional<WallTime> until)> is_alive =
      [](const ProcessIdentity&, std::optional<WallTime>) { return false; };
  // Whether commit returns only when all is on disk. Otherwise the owner syncs the log
  // (path + "-wal") after a commit and before it tells anybody.
  bool syncs_commits = true;
  int format = kFormat;
  std::vector<Migration> migrations = {{3, kJournalToFormat3}, {4, kJournalToFormat4}};
};

class Store {
 public:
  static Result<std::unique_ptr<Store>> open(const StoreOptions& options);

  // --- batch
  Result<void> begin(WallTime now);
  Result<void> commit();
  void rollback();
  WallTime now() const { return now_; }

  // --- one command in a batch
  void begin_command() { events_.clear(); }
  // Changes the projections at once and keeps the event for finish_command. The
  // reference is good until the next record.
  Result<Seq> record(const char* kind, TeamId team, std::string_view actor, Json body);
  // The same with one of protocol/words/*_records.h.
  template <class Record>
  Result<Seq> record(Record what, TeamId team, std::string_view actor) {
    return record(Record::kKind, team, actor, std::move(what).json());
  }
  // The same for a record of a run, which gets the next number there; returns that. Without a
  // run it is the first of a new one, whose id is the event's seq. With `text` the body is
  // that, and `body` only what the projection needs of it.
  Result<std::int64_t> record_of_run(std::string_view kind, RunId run, std::string_view actor, Json body,
                                     std::string text = {});
  template <class Record>
  Result<std::int64_t> record_of_run(Record what, RunId run, std::string_view actor) {
    return record_of_run(Record::kKind, run, actor, std::move(what).json());
  }
  // Number that the next recorded event will get.
  Seq next_seq() const { return next_seq_; }
  // Writes the command's events; the first carries key, digest and answer. Without events
  // nothing is written, and the key stays free.
  Result<void> finish_command(const std::string& key, std::int64_t digest, std::string_view answer);
  // Ends a command that was refused. It must not have recorded anything: a rule checks
  // first and records then, so that no savepoint is needed. If it has, the batch fails.
  Result<void> abandon_command();
  // Events of the current command.
  const std::vector<Event>& recorded() const { return events_; }

  // --- reading
  Result<std::optional<RecordedAnswer>> find_answer(const std::string& key);
  Result<std::optional<Event>> event(Seq seq);
  // Size of an event's body as text; 0 when there is none.
  Result<std::size_t> event_bytes(Seq seq) { return journal_->body_bytes(seq); }
  Result<JournalPage> events(const JournalCursor& cursor) { return journal_->follow(cursor); }
  struct RunRecordsPage : RunPage {
    bool more = false;
  };
  // Each record is handed over where it stands, in the order of their numbers.
  Result<RunRecordsPage> run_records(RunId run, const RunCursor& cursor,
                                     const std::function<void(const NumberedRecord&)>& take);
  Result<std::int64_t> event_count() { return journal_->count(); }
  Result<std::int64_t> file_bytes();
  Projection& projection() { return projection_; }

  // --- upkeep
  // Removes all that belongs to a deleted team, journal included. Inside a batch.
  Result<std::int64_t> remove_team_history(TeamId team);
  // The same for a run that has ended.
  Result<std::int64_t> remove_run_history(RunId run);
  // Gives free pages back to the file system when many are free, and says whether. Outside a batch.
  Result<bool> compact();
  // Problems found; with `rebuild` the projections are made again from the journal in memory and compared.
  Result<std::vector<std::string>> check(bool rebuild);
  // For tests: see Database.
  std::vector<std::string> costly_statements() const { return database_.costly_statements(); }

 private:
  Store(Database database, const std::string& path)
      : database_(std::move(database)),
        journal_(std::make_unique<SqliteJournal>(database_, path)),
        projection_(database_) {}
  Result<void> prepare(const StoreOptions& options);
  Result<void> create();
  Result<void> migrate(const StoreOptions& options, int from);
  // Teams and runs whose process lives.
  Result<std::vector<std::string>> users_of(const StoreOptions& options, int format);
  Result<void> rebuild_into(Database& target);
  Result<std::vector<std::string>> compare_with(Database& rebuilt);

  Database database_;
  std::unique_ptr<Journal> journal_;
  Projection projection_;  // of the journal
  WallTime now_;
  Seq next_seq_;
  std::vector<Event> events_;
  // Small messages of the running batch: who is woken by one needs not read it from the file.
  std::vector<Event> fresh_;
  FreshKeys fresh_keys_;
};

}  // namespace teamster::store
