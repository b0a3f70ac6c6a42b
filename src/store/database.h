// Database: a thin RAII layer over one SQLite connection: prepared statements are kept,
// errors become Results that say what the user can do. Driven by the hub's loop thread
// alone; the store module is the only one that sees it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "store/gathering_vfs.h"

struct sqlite3;
struct sqlite3_stmt;

namespace teamster::store {

// One use of a prepared statement. Bind with `with` in order, then step with `next` or
// `run`. Gives the statement back when it goes out of scope; texts die with the next step.
class Query {
 public:
  Query(sqlite3_stmt* statement, bool& in_use);
  // A statement that could not be prepared: every step reports why.
  Query(Error broken, bool& in_use);
  ~Query();
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  Query& with(std::int64_t value);
  Query& with(std::string_view text);
  Query& with_null();

  // True while there is a row.
  Result<bool> next();
  // For statements without rows.
  Result<void> run();

  std::int64_t integer(int column) const;
  std::string_view text(int column) const;
  bool is_null(int column) const;
  int columns() const;

 private:
  sqlite3_stmt* statement_;
  bool& in_use_;
  std::optional<Error> broken_;
  int bound_ = 0;
};

// Starts SQLite up, if it is not yet: before anything else of it is used.
void initialize_sqlite();

class Database {
 public:
  // `vfs` empty means the system's. Creates the file when there is none.
  static Result<Database> open(const std::string& path, const std::string& vfs);
  Database(Database&& other) noexcept;
  Database& operator=(Database&&) = delete;
  ~Database();

  // `sql` must be a string literal: its address is the key of the statement cache.
  Query query(const char* sql);
  // Several statements, without results.
  Result<void> execute(const std::string& sql);
  // First column of the first row; for pragmas and counts.
  Result<std::int64_t> integer(const std::string& sql);
  Result<std::string> text(const std::string& sql);
  // Dynamic SQL, stepped by `row` for each row.
  template <class Row>
  Result<void> each_row(const std::string& sql, Row row);
  // Kept statements that have sorted, or walked through a table, since they were prepared: what
  // costs more with every row. For tests.
  std::vector<std::string> costly_statements() const;

 private:
  struct Cached {
    sqlite3_stmt* statement = nullptr;
    bool in_use = false;
  };
  Database(std::unique_ptr<GatheringVfs> vfs, sqlite3* connection) : vfs_(std::move(vfs)), connection_(connection) {}
  Result<sqlite3_stmt*> prepare(const std::string& sql);
  void finalize(sqlite3_stmt* statement);

  std::unique_ptr<GatheringVfs> vfs_;
  sqlite3* connection_ = nullptr;
  std::unordered_map<const void*, Cached> cache_;
};

template <class Row>
Result<void> Database::each_row(const std::string& sql, Row row) {
  sqlite3_stmt* statement = TRY(prepare(sql));
  bool in_use = false;
  Result<void> outcome;
  {
    Query query(statement, in_use);
    while (true) {
      auto more = query.next();
      if (!more) outcome = fail(more.error());
      if (!more || !*more) break;
      row(query);
    }
  }
  finalize(statement);
  return outcome;
}

}  // namespace teamster::store
