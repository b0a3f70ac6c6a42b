#include "store/sqlite_journal.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "store/schema.h"
#include "store/sql_text.h"
#include "store/store_limits.h"

namespace teamster::store {
namespace {

Event event_of(const Query& query) {
  Event event;
  event.seq = Seq(query.integer(0));
  event.at = WallTime{query.integer(1)};
  event.kind = query.text(2);
  event.team = TeamId(query.integer(3));
  event.actor = query.text(4);
  auto body =
      parse_json(query.text(5), {.max_bytes = 4 * limits::kFrameMaxBytes, .max_depth = 2 * limits::kJsonMaxDepth});
  event.body = body ? *std::move(body) : Json::object();
  event.run = RunId(query.integer(6));
  event.n = query.integer(7);
  return event;
}

#define EVENT_COLUMNS "SELECT seq, at_ms, kind, team, actor, body, run, n FROM journal "

}  // namespace

Result<void> SqliteJournal::lock() {
  // Exclusive before the first access: the hub is the only user, and no shared memory is needed.
  TRY_VOID(
      database_.execute("PRAGMA locking_mode=EXCLUSIVE; PRAGMA busy_timeout=2000; PRAGMA temp_store=MEMORY;"
                        // Small pages: each one that a commit touches is summed, written and synced whole.
                        "PRAGMA cache_size=-5632; PRAGMA page_size=2048;"
                        // While the file is made: also the removal of the rollback journal is to survive.
                        "PRAGMA synchronous=EXTRA;"));
  const std::string mode = TRY(database_.text("PRAGMA journal_mode=WAL"));
  if (mode != "wal")
    return fail(Code::unavailable, fmt::format("{} cannot be kept in WAL mode (it is in '{}')", path_, mode),
                "Put the home on a local file system");
  // Counted in pages, whose size is that of the file: older ones have larger ones.
  const auto page_bytes = TRY(database_.integer("PRAGMA page_size"));
  return database_.execute(
      fmt::format("PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint={};", kLogBytes / page_bytes));
}

Result<Seq> SqliteJournal::newest() {
  if (!newest_) newest_ = Seq(TRY(database_.integer("SELECT coalesce(max(seq), 0) FROM journal")));
  return *newest_;
}

Result<void> SqliteJournal::prepare() { return database_.query("BEGIN").run(); }

Result<void> SqliteJournal::append(std::span<const Event> events, const std::optional<RequestMark>& mark) {
  bool is_first = true;
  for (const auto& event : events) {
    auto query = database_.query(
        "INSERT INTO journal(seq, at_ms, kind, team, actor, body, run, n, key, digest, answer) "
        "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    query.with(event.seq.value).with(event.at.unix_ms).with(event.kind).with(event.team.value).with(event.actor);
    query.with(event.text).with(event.run.value).with(event.n);
    if (is_first && mark)
      query.with(mark->key).with(mark->digest).with(mark->answer);
    else
      query.with_null().with_null().with_null();
    TRY_VOID(query.run());
    is_first = false;
    newest_ = event.seq;
  }
  return {};
}

Result<void> SqliteJournal::settle() { return database_.query("COMMIT").run(); }

void SqliteJournal::abandon() {
  (void)database_.query("ROLLBACK").run();
  newest_.reset();
}

Result<std::optional<RecordedAnswer>> SqliteJournal::find_answer(const std::string& key) {
  auto query = database_.query("SELECT digest, answer FROM journal WHERE key = ?");
  if (!TRY(query.with(key).next())) return std::optional<RecordedAnswer>();
  return std::optional<RecordedAnswer>(RecordedAnswer{query.integer(0), std::string(query.text(1))});
}

Result<std::string> SqliteJournal::highest_key(std::string_view below) {
  auto query = database_.query("SELECT coalesce(max(key), '') FROM journal WHERE key IS NOT NULL AND key < ?");
  TRY_VOID(query.with(below).next());
  return std::string(query.text(0));
}

Result<std::optional<Event>> SqliteJournal::event(Seq seq) {
  auto query = database_.query(EVENT_COLUMNS "WHERE seq = ?");
  if (!TRY(query.with(seq.value).next())) return std::optional<Event>();
  return std::optional<Event>(event_of(query));
}

Result<std::size_t> SqliteJournal::body_bytes(Seq seq) {
  auto query = database_.query("SELECT length(CAST(body AS BLOB)) FROM journal WHERE seq = ?");
  if (!TRY(query.with(seq.value).next())) return std::size_t{0};
  return static_cast<std::size_t>(query.integer(0));
}

Result<JournalPage> SqliteJournal::follow(const JournalCursor& cursor) {
  const std::int64_t newest = TRY(this->newest()).value;
  // Events of one team lie anywhere: however few it has, a page must not read the whole history.
  const std::int64_t until =
      cursor.team ? std::min(newest, std::max<std::int64_t>(cursor.after.value, 0) + kSeqsLookedAtMax) : newest;
  auto query =
      database_.query(EVENT_COLUMNS "WHERE seq > ?1 AND seq <= ?2 AND (?3 IS NULL OR team = ?3) ORDER BY seq LIMIT ?4");
  query.with(cursor.after.value).with(until);
  cursor.team ? query.with(cursor.team->value) : query.with_null();
  query.with(static_cast<std::int64_t>(cursor.limit));
  JournalPage page;
  std::size_t bytes = 0;
  while (bytes < cursor.max_bytes && TRY(query.next())) {
    bytes += query.text(5).size();
    page.events.push_back(event_of(query));
  }
  const bool is_full = page.events.size() == cursor.limit || bytes >= cursor.max_bytes;
  page.last = is_full ? page.events.back().seq : std::max(cursor.after, Seq(until));
  page.more = page.last.value < newest;
  return page;
}

#undef EVENT_COLUMNS

// SQLite takes a partial index only where its condition stands in the statement. What others put into a run is a
// few records of many thousand.
#define RECORDS_OF_RUN(INDEX, CONDITION)                                                                \
  (sql<"SELECT n, seq, at_ms, kind, body FROM journal INDEXED BY " INDEX " WHERE ", SqlPart(CONDITION), \
       " AND run = ?1 AND n > ?2 ORDER BY n LIMIT ?3">)

Result<RunPage> SqliteJournal::follow_run(RunId run, const RunCursor& cursor,
                                          const std::function<void(const NumberedRecord&)>& take) {
  auto query = database_.query(cursor.from_others ? RECORDS_OF_RUN("journal_others", kFromOthers)
                                                  : RECORDS_OF_RUN("journal_run", "run <> 0"));
  query.with(run.value).with(cursor.after).with(static_cast<std::int64_t>(cursor.limit));
  RunPage page;
  page.last = cursor.after;
  std::size_t count = 0;
  std::size_t bytes = 0;
  while (bytes < cursor.max_bytes && TRY(query.next())) {
    const NumberedRecord record{query.integer(0), Seq(query.integer(1)), WallTime{query.integer(2)}, query.text(3),
                                query.text(4)};
    take(record);
    page.last = record.n;
    bytes += record.body.size();
    ++count;
  }
  page.is_empty = count == 0;
  page.is_full = count == cursor.limit || bytes >= cursor.max_bytes;
  return page;
}

#undef RECORDS_OF_RUN

Result<std::int64_t> SqliteJournal::count() { return database_.integer("SELECT count(*) FROM journal"); }

Result<std::int64_t> SqliteJournal::remove(TeamId team) {
  auto count = database_.query("SELECT count(*) FROM journal WHERE team = ?");
  TRY_VOID(count.with(team.value).next());
  TRY_VOID(database_.query("DELETE FROM journal WHERE team = ?").with(team.value).run());
  return count.integer(0);
}

Result<std::int64_t> SqliteJournal::remove(RunId run) {
  auto count = database_.query("SELECT count(*) FROM journal WHERE run <> 0 AND run = ?");
  TRY_VOID(count.with(run.value).next());
  TRY_VOID(database_.query("DELETE FROM journal WHERE run <> 0 AND run = ?").with(run.value).run());
  return count.integer(0);
}

}  // namespace teamster::store
