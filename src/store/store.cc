#include "store/store.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "base/text.h"
#include "protocol/words/team_records.h"
#include "store/store_limits.h"
#include "store/wal_file.h"

namespace teamster::store {
Result<std::unique_ptr<Store>> Store::open(const StoreOptions& options) {
  TRY_VOID(settle_wal(options.path, options.vfs));
  auto database = TRY(Database::open(options.path, options.vfs));
  std::unique_ptr<Store> store(new Store(std::move(database), options.path));
  TRY_VOID(store->prepare(options));
  // NORMAL still syncs around checkpoints, in the order that keeps the file sound.
  if (!options.syncs_commits) TRY_VOID(store->database_.execute("PRAGMA synchronous=NORMAL"));
  return store;
}

Result<void> Store::prepare(const StoreOptions& options) {
  TRY_VOID(journal_->lock());
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
  next_seq_ = Seq(TRY(journal_->newest()).value + 1);
  if (format < options.format) TRY_VOID(migrate(options, format));
  fresh_keys_.reset(TRY(journal_->highest_key(FreshKeys::kEnd)));
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
  return journal_->prepare();
}

Result<void> Store::commit() {
  TRY_VOID(projection_.write_out());
  return journal_->settle();
}

void Store::rollback() {
  journal_->abandon();
  if (const auto newest = journal_->newest()) next_seq_ = Seq(newest->value + 1);
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
  if (events_.empty()) return {};
  std::optional<RequestMark> mark;
  if (!key.empty()) {
    fresh_keys_.add(key);
    mark = RequestMark{key, digest, answer};
  }
  for (auto& event : events_)
    if (event.text.empty()) event.text = dump_json(event.body);
  TRY_VOID(journal_->append(events_, mark));
  for (auto& event : events_) {
    if (event.kind != kind::kMessageSent || fresh_.size() >= kFreshMessagesMax ||
        event.text.size() > kFreshMessageMaxBytes)
      continue;
    event.text.clear();  // who reads it looks into the body
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

Result<std::optional<RecordedAnswer>> Store::find_answer(const std::string& key) {
  if (fresh_keys_.is_certainly_new(key)) return std::optional<RecordedAnswer>();
  return journal_->find_answer(key);
}

Result<std::optional<Event>> Store::event(Seq seq) {
  for (const auto& event : fresh_)
    if (event.seq == seq) return std::optional<Event>(event);
  return journal_->event(seq);
}

Result<Store::RunRecordsPage> Store::run_records(RunId run, const RunCursor& cursor,
                                                 const std::function<void(const NumberedRecord&)>& take) {
  const RunPage found = TRY(journal_->follow_run(run, cursor, take));
  RunRecordsPage page{found};
  const auto last = TRY(projection_.runs.last_number(run));
  page.more = page.is_full && last && page.last < *last;
  return page;
}

Result<std::int64_t> Store::file_bytes() {
  return TRY(database_.integer("PRAGMA page_count")) * TRY(database_.integer("PRAGMA page_size"));
}

}  // namespace teamster::store
