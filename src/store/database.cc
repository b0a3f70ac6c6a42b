#include "store/database.h"

#include <sqlite3.h>

#include <fmt/format.h>

#include "base/check.h"

namespace teamster::store {
namespace {

std::string place_of(sqlite3* connection) {
  const char* file = connection != nullptr ? sqlite3_db_filename(connection, "main") : nullptr;
  return file != nullptr && *file != '\0' ? file : "the store";
}

Error error_of(sqlite3* connection, int code, const std::string& place) {
  const int extended = connection != nullptr ? sqlite3_extended_errcode(connection) : code;
  switch (code & 0xFF) {
    case SQLITE_FULL:
      return {Code::unavailable, fmt::format("the disk that holds {} is full; nothing was recorded", place),
              "Free some space (`teamster gc` helps) and try again"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {Code::unavailable, fmt::format("{} is locked by another program; nothing was recorded", place),
              "Close what has the file open and try again"};
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return {Code::unavailable, fmt::format("{} cannot be written", place),
              "Check that the home and its files belong to you and are writable"};
    case SQLITE_CANTOPEN:
      return {Code::unavailable, fmt::format("{} cannot be opened", place),
              "Check that the home exists, belongs to you and is writable"};
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return {Code::failed, fmt::format("{} is damaged or is no teamster store", place),
              "Keep a copy of it, move it away, and run `teamster doctor`"};
    case SQLITE_IOERR:
      return {extended == SQLITE_IOERR_FSYNC ? Code::unknown_outcome : Code::unavailable,
              fmt::format("reading or writing {} failed (I/O error {})", place, extended),
              "Check the disk (`dmesg`) and try again"};
    case SQLITE_NOMEM:
      return {Code::unavailable, "not enough memory for the store", "Try again"};
    default:
      return {Code::internal,
              fmt::format("store: {} ({})", connection != nullptr ? sqlite3_errmsg(connection) : sqlite3_errstr(code),
                          extended),
              "Please report it"};
  }
}

}  // namespace

void initialize_sqlite() {
  // Without statistics that nobody reads, each of which takes a lock. Too late is no harm.
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  sqlite3_initialize();
}

Query::Query(sqlite3_stmt* statement, bool& in_use) : statement_(statement), in_use_(in_use) {
  CHECK(!in_use_);  // a statement inside its own loop would lose its place
  in_use_ = true;
}

Query::Query(Error broken, bool& in_use) : Query(nullptr, in_use) { broken_ = std::move(broken); }

Query::~Query() {
  if (statement_ != nullptr) {
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
  }
  in_use_ = false;
}

Query& Query::with(std::int64_t value) {
  CHECK(broken_ || sqlite3_bind_int64(statement_, ++bound_, value) == SQLITE_OK);
  return *this;
}

Query& Query::with(std::string_view text) {
  // Static: every caller's text outlives the query, which is stepped in the same expression or scope.
  // An empty view may have no address; SQLite would read that as NULL.
  const char* data = text.data() != nullptr ? text.data() : "";
  CHECK(broken_ ||
        sqlite3_bind_text64(statement_, ++bound_, data, text.size(), SQLITE_STATIC, SQLITE_UTF8) == SQLITE_OK);
  return *this;
}

Query& Query::with_null() {
  CHECK(broken_ || sqlite3_bind_null(statement_, ++bound_) == SQLITE_OK);
  return *this;
}

Result<bool> Query::next() {
  if (broken_) return fail(*broken_);
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return fail(error_of(sqlite3_db_handle(statement_), code, place_of(sqlite3_db_handle(statement_))));
}

Result<void> Query::run() {
  TRY_VOID(next());
  return {};
}

std::int64_t Query::integer(int column) const { return sqlite3_column_int64(statement_, column); }

std::string_view Query::text(int column) const {
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  return {data != nullptr ? data : "", static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

bool Query::is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

int Query::columns() const { return sqlite3_column_count(statement_); }

Result<Database> Database::open(const std::string& path, const std::string& vfs) {
  auto gathering = TRY(GatheringVfs::over(vfs));
  sqlite3* connection = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  const int code = sqlite3_open_v2(path.c_str(), &connection, flags, gathering->name());
  if (code != SQLITE_OK) {
    Error error = error_of(connection, code, path);
    sqlite3_close(connection);
    return fail(std::move(error));
  }
  return Database(std::move(gathering), connection);
}

Database::Database(Database&& other) noexcept
    : vfs_(std::move(other.vfs_)),
      connection_(std::exchange(other.connection_, nullptr)),
      cache_(std::move(other.cache_)) {
  other.cache_.clear();
}

Database::~Database() {
  for (auto& [sql, cached] : cache_) sqlite3_finalize(cached.statement);
  sqlite3_close(connection_);
}

Result<sqlite3_stmt*> Database::prepare(const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(connection_, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                                      &statement, nullptr);
  if (code != SQLITE_OK) return fail(error_of(connection_, code, place_of(connection_)));
  return statement;
}

void Database::finalize(sqlite3_stmt* statement) { sqlite3_finalize(statement); }

Query Database::query(const char* sql) {
  Cached& cached = cache_[sql];
  if (cached.statement == nullptr) {
    auto statement = prepare(sql);
    if (!statement) return Query(statement.error(), cached.in_use);
    cached.statement = *statement;
  }
  return Query(cached.statement, cached.in_use);
}

std::vector<std::string> Database::costly_statements() const {
  std::vector<std::string> costly;
  for (const auto& [key, cached] : cache_)
    for (const int counter : {SQLITE_STMTSTATUS_SORT, SQLITE_STMTSTATUS_FULLSCAN_STEP})
      if (cached.statement != nullptr && sqlite3_stmt_status(cached.statement, counter, 0) > 0)
        costly.emplace_back(sqlite3_sql(cached.statement));
  return costly;
}

Result<void> Database::execute(const std::string& sql) {
  const int code = sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return fail(error_of(connection_, code, place_of(connection_)));
  return {};
}

Result<std::int64_t> Database::integer(const std::string& sql) {
  std::int64_t value = 0;
  TRY_VOID(each_row(sql, [&](Query& row) { value = row.integer(0); }));
  return value;
}

Result<std::string> Database::text(const std::string& sql) {
  std::string value;
  TRY_VOID(each_row(sql, [&](Query& row) { value = row.text(0); }));
  return value;
}

}  // namespace teamster::store
