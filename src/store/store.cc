#include "store/store.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "base/text.h"
#include "protocol/words/team_records.h"
#include "store/wal_file.h"

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

}  // namespace

Result<std::unique_ptr<Store>> Store::open(const StoreOptions& options) {
  TRY_VOID(settle_wal(options.path, options.vfs));
  auto database = TRY(Database::open(options.path, options.vfs));
  std::unique_ptr<Store> store(new Store(std::move(database)));
  TRY_VOID(store->prepare(options));
  // NORMAL still syncs around checkpoints, in the order that keeps the file sound.
  if (!options.syncs_commits) TRY_VOID(store->database_.execute("PRAGMA synchronous=NORMAL"));
  return store;
}

Result<void> Store::prepare(const StoreOptions& options) {
  // Exclusive before the first access: the hub is the only user, and no shared memory is needed.
  TRY_VOID(
      database_.execute("PRAGMA locking_mode=EXCLUSIVE; PRAGMA busy_timeout=2000; PRAGMA temp_store=MEMORY;"
                        // Small pages: each one that a commit touches is summed, written and synced whole.
                        "PRAGMA cache_size=-5632; PRAGMA page_size=2048;"
                        // While the file is made: also the removal of the rollback journal is to survive.
                        "PRAGMA synchronous=EXTRA;"));
  const std::string mode = TRY(database_.text("PRAGMA journal_mode=WAL"));
  if (mode != "wal")
    return fail(Code::unavailable, fmt::format("{} cannot be kept in WAL mode (it is in '{}')", options.path, mode),
                "Put the home on a local file system");
  // Counted in pages, whose size is that of the file: older ones have larger ones.
  constexpr std::int64_t kLogBytes = 8 * 1024 * 1024;
  const auto page_bytes = TRY(database_.integer("PRAGMA page_size"));
  TRY_VOID(
      database_.execute(fmt::format("PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint={};", kLogBytes / page_bytes)));

  const auto application = TRY(database_.integer("PRAGMA application_id"));
  const auto tables = TRY(database_.integer("SELECT count(*) FROM sqlite_schema"));
  if (tables == 0 && application == 0)
    TRY_VOID(create());
  else if (application != kApplicationId)
    return fail(Code::failed, fmt::format("{} is no teamster store", options.path),
                "Move it away, or choose another TEAMSTER_HOME");

  const auto format = static_cast<int>(TRY(database_.integer("PRAGMA user_version")));
  if (format > options.format)
    return fail(Code::refused,
                fmt::format("{} has format {}, this teamster knows up to {}", options.path, format, options.format),
                "Use the newer teamster that wrote it");
  // Before a migration too: the rebuild reads up to it.
  next_seq_ = Seq(TRY(database_.integer("SELECT coalesce(max(seq), 0) + 1 FROM journal")));
  if (format < options.format) TRY_VOID(migrate(options, format));
  fresh_keys_.reset(TRY(database_.text(fmt::format(
      "SELECT coalesce(max(key), '') FROM journal WHERE key IS NOT NULL AND key < '{}'", FreshKeys::kEnd))));
  return {};
}

Result<void> Store::create() {
  return database_.execute(fmt::format("BEGIN; {} {} PRAGMA application_id={}; PRAGMA user_version={}; COMMIT;",
                                       kJournalSchema, kProjectionSchema, kApplicationId, kFormat));
}

Result<std::vector<std::string>> Store::users_of(const StoreOptions& options, int format) {
  std::vector<std::string> live;
  const auto add = [&](Query& row) {
    const auto owner = OwnerRecord::parse(std::string(row.text(1)));
    if (!owner || !owner->process) return;
    const auto until = row.is_null(2) ? std::nullopt : std::optional(WallTime{row.integer(2)});
    if (options.is_alive(*owner->process, until)) live.emplace_back(row.text(0));
  };
  TRY_VOID(database_.each_row("SELECT name, owner, NULL FROM team WHERE deleted_ms IS NULL AND owner <> ''", add));
  constexpr int kFirstFormatWithRuns = 3;
  if (format >= kFirstFormatWithRuns)
    TRY_VOID(database_.each_row(
        "SELECT 'run ' || name, holder, renewed_ms + lease_ms FROM run WHERE ended_ms IS NULL AND holder <> ''", add));
  return live;
}

Result<void> Store::migrate(const StoreOptions& options, int from) {
  const auto live = TRY(users_of(options, from));
  if (!live.empty())
    return fail(Code::refused,
                fmt::format("{} has the older format {} and is in use by {}", options.path, from, join(live, ", ")),
                "Let them finish, or cancel them, then try again");
  TRY_VOID(database_.execute("BEGIN IMMEDIATE"));
  const auto upgrade = [&]() -> Result<void> {
    for (const auto& migration : options.migrations)
      if (migration.to > from && migration.to <= options.format) TRY_VOID(database_.execute(migration.sql));
    for (const auto table : kProjectionTables)
      TRY_VOID(database_.execute(fmt::format("DROP TABLE IF EXISTS {}", table)));
    TRY_VOID(database_.execute(kProjectionSchema));
    TRY_VOID(rebuild_into(database_));
    return database_.execute(fmt::format("PRAGMA user_version={}; COMMIT;", options.format));
  };
  auto outcome = upgrade();
  if (!outcome) {
    (void)database_.execute("ROLLBACK");
    return fail(outcome.error().within("bringing the store to its new format"));
  }
  return {};
}

Result<void> Store::begin(WallTime now) {
  now_ = now;
  fresh_.clear();
  return database_.query("BEGIN").run();
}

Result<void> Store::commit() {
  TRY_VOID(projection_.write_out());
  return database_.query("COMMIT").run();
}

void Store::rollback() {
  (void)database_.query("ROLLBACK").run();
  auto next = database_.integer("SELECT coalesce(max(seq), 0) + 1 FROM journal");
  if (next) next_seq_ = Seq(*next);
  events_.clear();
  fresh_.clear();
  projection_.forget();
}

Result<Seq> Store::record(const char* kind, TeamId team, std::string_view actor, Json body) {
  const Seq seq = next_seq_;
  events_.push_back(Event{seq, now_, kind, team, std::string(actor), std::move(body)});
  if (team.value == 0 && events_.back().kind == kind::kTeamCreated) events_.back().team = TeamId(seq.value);
  next_seq_.value++;
  TRY_VOID(projection_.apply(events_.back()));
  return seq;
}

Result<std::int64_t> Store::record_of_run(std::string_view kind, RunId run, std::string_view actor, Json body,
                                          std::string text) {
  Event event{next_seq_, now_, std::string(kind), TeamId(), std::string(actor), std::move(body)};
  event.text = std::move(text);
  if (run.value == 0) {
    event.run = RunId(event.seq.value);
    event.n = 1;
  } else {
    const auto last = TRY(projection_.runs.last_number(run));
    CHECK(last.has_value());  // a rule has found it
    event.run = run;
    event.n = *last + 1;
  }
  events_.push_back(std::move(event));
  next_seq_.value++;
  TRY_VOID(projection_.apply(events_.back()));
  return events_.back().n;
}

Result<void> Store::finish_command(const std::string& key, std::int64_t digest, std::string_view answer) {
  constexpr std::size_t kFreshMax = 64;
  constexpr std::size_t kFreshBodyMaxBytes = 4096;
  bool first = true;
  if (!key.empty() && !events_.empty()) fresh_keys_.add(key);
  for (auto& event : events_) {
    const std::string body = event.text.empty() ? dump_json(event.body) : std::move(event.text);
    auto query = database_.query(
        "INSERT INTO journal(seq, at_ms, kind, team, actor, body, run, n, key, digest, answer) "
        "VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    query.with(event.seq.value).with(event.at.unix_ms).with(event.kind).with(event.team.value).with(event.actor);
    query.with(body).with(event.run.value).with(event.n);
    if (first && !key.empty())
      query.with(key).with(digest).with(answer);
    else
      query.with_null().with_null().with_null();
    TRY_VOID(query.run());
    first = false;
    if (event.kind == kind::kMessageSent && fresh_.size() < kFreshMax && body.size() <= kFreshBodyMaxBytes)
      fresh_.push_back(std::move(event));
  }
  events_.clear();
  return {};
}

Result<void> Store::abandon_command() {
  if (events_.empty()) return {};
  return fail(Code::unavailable, fmt::format("a command failed after it had recorded {}", events_.front().kind),
              "This is a bug: please report it");
}

Result<std::optional<Recorded>> Store::find_answer(const std::string& key) {
  if (fresh_keys_.is_certainly_new(key)) return std::optional<Recorded>();
  auto query = database_.query("SELECT digest, answer FROM journal WHERE key = ?");
  if (!TRY(query.with(key).next())) return std::optional<Recorded>();
  return std::optional<Recorded>(Recorded{query.integer(0), std::string(query.text(1))});
}

Result<std::optional<Event>> Store::event(Seq seq) {
  for (const auto& event : fresh_)
    if (event.seq == seq) return std::optional<Event>(event);
  auto query = database_.query("SELECT seq, at_ms, kind, team, actor, body, run, n FROM journal WHERE seq = ?");
  if (!TRY(query.with(seq.value).next())) return std::optional<Event>();
  return std::optional<Event>(event_of(query));
}

Result<std::size_t> Store::event_bytes(Seq seq) {
  auto query = database_.query("SELECT length(CAST(body AS BLOB)) FROM journal WHERE seq = ?");
  if (!TRY(query.with(seq.value).next())) return std::size_t{0};
  return static_cast<std::size_t>(query.integer(0));
}

Result<Store::Page> Store::events(Seq after, std::optional<TeamId> team, std::size_t limit, std::size_t max_bytes) {
  constexpr std::int64_t kSeqsLookedAtMax = 50'000;
  const std::int64_t newest = next_seq_.value - 1;
  // Events of one team lie anywhere: however few it has, a page must not read the whole history.
  const std::int64_t until =
      team ? std::min(newest, std::max<std::int64_t>(after.value, 0) + kSeqsLookedAtMax) : newest;
  auto query = database_.query(
      "SELECT seq, at_ms, kind, team, actor, body, run, n FROM journal WHERE seq > ?1 AND seq <= ?2 "
      "AND (?3 IS NULL OR team = ?3) ORDER BY seq LIMIT ?4");
  query.with(after.value).with(until);
  team ? query.with(team->value) : query.with_null();
  query.with(static_cast<std::int64_t>(limit));
  Page page;
  std::size_t bytes = 0;
  while (bytes < max_bytes && TRY(query.next())) {
    bytes += query.text(5).size();
    page.events.push_back(event_of(query));
  }
  const bool is_full = page.events.size() == limit || bytes >= max_bytes;
  page.last = is_full ? page.events.back().seq : std::max(after, Seq(until));
  page.more = page.last.value < newest;
  return page;
}

// SQLite takes a partial index only where its condition stands in the statement. What others put into a run is a
// few records of many thousand.
#define RECORDS_OF_RUN(INDEX, CONDITION)                                                                \
  (sql<"SELECT n, seq, at_ms, kind, body FROM journal INDEXED BY " INDEX " WHERE ", SqlPart(CONDITION), \
       " AND run = ?1 AND n > ?2 ORDER BY n LIMIT ?3">)

Result<Store::RunPage> Store::run_records(RunId run, const RunRange& range,
                                          const std::function<void(const NumberedRecord&)>& take) {
  auto query = database_.query(range.from_others ? RECORDS_OF_RUN("journal_others", kFromOthers)
                                                 : RECORDS_OF_RUN("journal_run", "run <> 0"));
  query.with(run.value).with(range.after).with(static_cast<std::int64_t>(range.limit));
  RunPage page;
  page.last = range.after;
  std::size_t count = 0;
  std::size_t bytes = 0;
  while (bytes < range.max_bytes && TRY(query.next())) {
    const NumberedRecord record{query.integer(0), Seq(query.integer(1)), WallTime{query.integer(2)}, query.text(3),
                                query.text(4)};
    take(record);
    page.last = record.n;
    bytes += record.body.size();
    ++count;
  }
  page.is_empty = count == 0;
  const bool is_full = count == range.limit || bytes >= range.max_bytes;
  const auto last = TRY(projection_.runs.last_number(run));
  page.more = is_full && last && page.last < *last;
  return page;
}

#undef RECORDS_OF_RUN

Result<std::int64_t> Store::event_count() { return database_.integer("SELECT count(*) FROM journal"); }

Result<std::int64_t> Store::file_bytes() {
  return TRY(database_.integer("PRAGMA page_count")) * TRY(database_.integer("PRAGMA page_size"));
}

}  // namespace teamster::store
