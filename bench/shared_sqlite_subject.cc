#include "bench/shared_sqlite_subject.h"

#include <sqlite3.h>

#include <ctime>
#include <memory>
#include <unordered_set>

#include <fmt/format.h>

namespace teamster::bench {
namespace {

constexpr const char* kSchema = R"sql(
CREATE TABLE message(
  id INTEGER PRIMARY KEY, inbox INTEGER NOT NULL, sender TEXT NOT NULL, kind TEXT NOT NULL,
  body TEXT NOT NULL, state INTEGER NOT NULL, sent_ms INTEGER NOT NULL);
CREATE INDEX message_inbox ON message(inbox, state, id);
CREATE TABLE task(
  id INTEGER PRIMARY KEY, team INTEGER NOT NULL, subject TEXT NOT NULL, status INTEGER NOT NULL,
  owner TEXT, token TEXT, updated_ms INTEGER);
CREATE INDEX task_free ON task(team, id) WHERE status = 0;
)sql";

// One process's own connection, with its statements prepared once.
class Connection {
 public:
  static Result<std::shared_ptr<Connection>> open(const std::string& path) {
    auto connection = std::make_shared<Connection>();
    if (sqlite3_open(path.c_str(), &connection->handle_) != SQLITE_OK) return fail(connection->error());
    sqlite3_busy_timeout(connection->handle_, 60'000);
    TRY_VOID(connection->execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"));
    return connection;
  }
  ~Connection() {
    for (sqlite3_stmt* statement : statements_) sqlite3_finalize(statement);
    sqlite3_close(handle_);
  }
  Result<void> execute(const std::string& sql) {
    if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) return fail(error());
    return {};
  }
  Result<sqlite3_stmt*> prepare(const char* sql) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v3(handle_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr) != SQLITE_OK)
      return fail(error());
    statements_.push_back(statement);
    return statement;
  }
  // The first column of the row, if there is one.
  Result<std::optional<std::int64_t>> step(sqlite3_stmt* statement) {
    const int code = sqlite3_step(statement);
    std::optional<std::int64_t> value;
    if (code == SQLITE_ROW) value = sqlite3_column_int64(statement, 0);
    sqlite3_reset(statement);
    if (code != SQLITE_ROW && code != SQLITE_DONE) return fail(error());
    return value;
  }
  std::int64_t last_row() const { return sqlite3_last_insert_rowid(handle_); }

 private:
  Error error() const { return {Code::failed, fmt::format("SQLite: {}", sqlite3_errmsg(handle_)), ""}; }

  sqlite3* handle_ = nullptr;
  std::vector<sqlite3_stmt*> statements_;
};

std::int64_t now_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

void bind_text(sqlite3_stmt* statement, int index, const std::string& text) {
  sqlite3_bind_text(statement, index, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
}

constexpr const char* kInsertMessage =
    "INSERT INTO message(inbox, sender, kind, body, state, sent_ms) VALUES(?, ?, 'message', ?, 0, ?)";

void bind_message(sqlite3_stmt* insert, std::int64_t inbox, int worker) {
  sqlite3_bind_int64(insert, 1, inbox);
  bind_text(insert, 2, fmt::format("sender-{}", worker));
  bind_text(insert, 3, message_body());
  sqlite3_bind_int64(insert, 4, now_ms());
}

// Prepared statements of one transaction.
struct Transaction {
  static Result<Transaction> prepare(Connection& connection) {
    Transaction transaction;
    transaction.begin = TRY(connection.prepare("BEGIN IMMEDIATE"));
    transaction.commit = TRY(connection.prepare("COMMIT"));
    transaction.rollback = TRY(connection.prepare("ROLLBACK"));
    return transaction;
  }
  sqlite3_stmt* begin = nullptr;
  sqlite3_stmt* commit = nullptr;
  sqlite3_stmt* rollback = nullptr;
};

// Numbers of `sql` that are not among the rows it finds.
Result<std::uint64_t> count_missing(const std::string& path, const std::string& sql, const Measured& measured) {
  auto connection = TRY(Connection::open(path));
  sqlite3_stmt* select = TRY(connection->prepare(sql.c_str()));
  std::unordered_set<std::int64_t> there;
  while (sqlite3_step(select) == SQLITE_ROW) there.insert(sqlite3_column_int64(select, 0));
  std::uint64_t missing = 0;
  for (const auto& numbers : measured.numbers)
    for (const std::int64_t number : numbers) missing += there.contains(number) ? 0 : 1;
  return missing;
}

}  // namespace

Result<std::unique_ptr<SharedSqliteSubject>> SharedSqliteSubject::create(const std::string& directory) {
  std::unique_ptr<SharedSqliteSubject> subject(new SharedSqliteSubject(directory + "/shared.db"));
  auto connection = TRY(Connection::open(subject->path_));
  TRY_VOID(connection->execute(kSchema));
  return subject;
}

Result<void> SharedSqliteSubject::prepare_inbox(std::uint64_t messages) {
  auto connection = TRY(Connection::open(path_));
  sqlite3_stmt* insert = TRY(connection->prepare(kInsertMessage));
  ++inbox_;
  TRY_VOID(connection->execute("BEGIN IMMEDIATE"));
  for (std::uint64_t i = 0; i < messages; ++i) {
    bind_message(insert, inbox_, 0);
    TRY_VOID(connection->step(insert));
  }
  return connection->execute("COMMIT");
}

Prepare SharedSqliteSubject::sender() {
  return [path = path_, inbox = inbox_](int worker) -> Result<Operation> {
    auto connection = TRY(Connection::open(path));
    const Transaction transaction = TRY(Transaction::prepare(*connection));
    sqlite3_stmt* insert = TRY(connection->prepare(kInsertMessage));
    return Operation([=]() -> Result<std::optional<std::int64_t>> {
      bind_message(insert, inbox, worker);
      TRY_VOID(connection->step(transaction.begin));
      TRY_VOID(connection->step(insert));
      TRY_VOID(connection->step(transaction.commit));
      return std::optional(connection->last_row());
    });
  };
}

Result<Faults> SharedSqliteSubject::inspect_messages(const Measured& measured) {
  const auto sql = fmt::format("SELECT id FROM message WHERE inbox = {}", inbox_);
  return Faults{.lost = TRY(count_missing(path_, sql, measured))};
}

Result<void> SharedSqliteSubject::prepare_tasks(std::uint64_t tasks) {
  auto connection = TRY(Connection::open(path_));
  sqlite3_stmt* insert = TRY(connection->prepare("INSERT INTO task(team, subject, status) VALUES(?, 'a task', 0)"));
  ++team_;
  TRY_VOID(connection->execute("BEGIN IMMEDIATE"));
  for (std::uint64_t i = 0; i < tasks; ++i) {
    sqlite3_bind_int64(insert, 1, team_);
    TRY_VOID(connection->step(insert));
  }
  return connection->execute("COMMIT");
}

Prepare SharedSqliteSubject::claimer() {
  return [path = path_, team = team_](int worker) -> Result<Operation> {
    auto connection = TRY(Connection::open(path));
    const Transaction transaction = TRY(Transaction::prepare(*connection));
    sqlite3_stmt* select =
        TRY(connection->prepare("SELECT id FROM task WHERE team = ? AND status = 0 ORDER BY id LIMIT 1"));
    sqlite3_stmt* update =
        TRY(connection->prepare("UPDATE task SET status = 1, owner = ?, token = ?, updated_ms = ? WHERE id = ?"));
    sqlite3_bind_int64(select, 1, team);
    bind_text(update, 1, fmt::format("member-{}", worker));
    return Operation([=]() -> Result<std::optional<std::int64_t>> {
      TRY_VOID(connection->step(transaction.begin));
      const auto id = TRY(connection->step(select));
      if (!id) {
        TRY_VOID(connection->step(transaction.rollback));
        return std::optional<std::int64_t>();
      }
      bind_text(update, 2, fmt::format("c{}-{}", *id, worker));
      sqlite3_bind_int64(update, 3, now_ms());
      sqlite3_bind_int64(update, 4, *id);
      TRY_VOID(connection->step(update));
      TRY_VOID(connection->step(transaction.commit));
      return id;
    });
  };
}

Result<Faults> SharedSqliteSubject::inspect_claims(const Measured& measured) {
  const auto sql = fmt::format("SELECT id FROM task WHERE team = {} AND status = 1", team_);
  return Faults{.lost = TRY(count_missing(path_, sql, measured)), .double_claimed = count_double(measured)};
}

}  // namespace teamster::bench
