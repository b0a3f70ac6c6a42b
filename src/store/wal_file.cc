#include "store/wal_file.h"

#include <sqlite3.h>

#include <algorithm>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "store/database.h"
#include "store/store_limits.h"

namespace teamster::store {
namespace {

// Through SQLite's own file layer, so that the simulated disk sees it too.
class LogFile {
 public:
  explicit LogFile(sqlite3_vfs* vfs) : memory_(static_cast<std::size_t>(vfs->szOsFile)) {}
  ~LogFile() {
    if (file()->pMethods != nullptr) file()->pMethods->xClose(file());
  }
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  sqlite3_file* file() { return reinterpret_cast<sqlite3_file*>(memory_.data()); }
  const sqlite3_io_methods& methods() { return *file()->pMethods; }

 private:
  std::vector<char> memory_;
};

constexpr sqlite3_int64 kChunkBytes = kWriteMaxBytes;

int rewrite(LogFile& log) {
  sqlite3_int64 size = 0;
  if (const int code = log.methods().xFileSize(log.file(), &size); code != SQLITE_OK || size == 0) return code;
  std::vector<char> chunk(static_cast<std::size_t>(std::min(size, kChunkBytes)));
  for (sqlite3_int64 at = 0; at < size; at += kChunkBytes) {
    const int bytes = static_cast<int>(std::min(kChunkBytes, size - at));
    if (const int code = log.methods().xRead(log.file(), chunk.data(), bytes, at); code != SQLITE_OK) return code;
    if (const int code = log.methods().xWrite(log.file(), chunk.data(), bytes, at); code != SQLITE_OK) return code;
  }
  return log.methods().xSync(log.file(), SQLITE_SYNC_NORMAL);
}

int extend(LogFile& log, std::int64_t bytes) {
  sqlite3_int64 size = 0;
  if (const int code = log.methods().xFileSize(log.file(), &size); code != SQLITE_OK || size >= bytes) return code;
  const std::vector<char> zeros(kChunkBytes);
  int code = SQLITE_OK;
  for (sqlite3_int64 at = size; at < bytes && code == SQLITE_OK; at += kChunkBytes)
    code = log.methods().xWrite(log.file(), zeros.data(), static_cast<int>(kChunkBytes), at);
  if (code != SQLITE_OK) {
    log.methods().xTruncate(log.file(), size);  // the space is needed for something better
    return code;
  }
  return log.methods().xSync(log.file(), SQLITE_SYNC_NORMAL);
}

// Does `work` with the log, if there is one. Returns SQLite's code.
template <class Work>
Result<void> with_log(const std::string& database_path, const std::string& vfs_name, Work work) {
  initialize_sqlite();
  sqlite3_vfs* vfs = sqlite3_vfs_find(vfs_name.empty() ? nullptr : vfs_name.c_str());
  if (vfs == nullptr) return fail(Code::internal, fmt::format("there is no SQLite VFS '{}'", vfs_name));
  const std::string wal = database_path + "-wal";
  for (const std::string& file : {database_path, wal}) {
    int exists = 0;
    if (vfs->xAccess(vfs, file.c_str(), SQLITE_ACCESS_EXISTS, &exists) != SQLITE_OK || exists == 0) return {};
  }
  const std::unique_ptr<const char, decltype(&sqlite3_free_filename)> name(
      sqlite3_create_filename(wal.c_str(), "", "", 0, nullptr), &sqlite3_free_filename);
  if (!name) return fail(Code::unavailable, "not enough memory for the store", "Try again");
  LogFile log(vfs);
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_WAL;
  int code = vfs->xOpen(vfs, name.get(), log.file(), flags, &flags);
  if (code == SQLITE_OK) code = work(log);
  if (code == SQLITE_OK) return {};
  return fail(Code::unavailable, fmt::format("{} could not be made durable (I/O error {})", wal, code),
              "Check the disk and its free space, then try again");
}

}  // namespace

Result<void> settle_wal(const std::string& database_path, const std::string& vfs) {
  return with_log(database_path, vfs, rewrite);
}

Result<void> sync_wal(const std::string& database_path, const std::string& vfs) {
  auto synced =
      with_log(database_path, vfs, [](LogFile& log) { return log.methods().xSync(log.file(), SQLITE_SYNC_NORMAL); });
  if (!synced) return fail(Code::unknown_outcome, synced.error().what, synced.error().next);
  return {};
}

Result<void> extend_wal(const std::string& database_path, const std::string& vfs, std::int64_t bytes) {
  return with_log(database_path, vfs, [bytes](LogFile& log) { return extend(log, bytes); });
}

}  // namespace teamster::store
