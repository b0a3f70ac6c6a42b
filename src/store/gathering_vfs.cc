#include "store/gathering_vfs.h"

#include <sqlite3.h>

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "store/database.h"
#include "store/store_limits.h"

namespace teamster::store {
namespace {

// A frame of the log is this header, in a write of its own, and then the page.
constexpr std::size_t kFrameHeaderBytes = 24;

// Bytes 4 to 7 of a frame's header hold the size of the database if the frame commits, else 0.
bool is_of_commit(std::string_view header) { return header.substr(4, 4) != std::string_view("\0\0\0\0", 4); }

// The log, open; its bytes are kept by `file`, which belongs to the VFS below.
class Log {
 public:
  explicit Log(sqlite3_file* file) : file_(file) {}

  int write(std::string_view bytes, sqlite3_int64 offset) {
    if (offset != end_) return write_elsewhere(bytes, offset);
    if (gathered_.size() + bytes.size() > kWriteMaxBytes)
      if (const int code = flush(); code != SQLITE_OK) return code;
    gathered_.append(bytes);
    end_ += static_cast<sqlite3_int64>(bytes.size());
    if (bytes.size() == kFrameHeaderBytes) {
      commits_ = is_of_commit(bytes);
      return SQLITE_OK;
    }
    return std::exchange(commits_, false) ? flush() : SQLITE_OK;
  }

  int flush() {
    if (gathered_.empty()) return SQLITE_OK;
    const auto size = static_cast<sqlite3_int64>(gathered_.size());
    const int code = file_->pMethods->xWrite(file_, gathered_.data(), static_cast<int>(size), end_ - size);
    gathered_.clear();
    if (code != SQLITE_OK) end_ = kNowhere;  // SQLite gives the transaction up
    return code;
  }

  // The file below, with nothing held back from it. nullptr and the reason if that fails.
  sqlite3_file* settled(int& code) {
    code = flush();
    return code == SQLITE_OK ? file_ : nullptr;
  }
  sqlite3_file* below() { return file_; }

 private:
  static constexpr sqlite3_int64 kNowhere = -1;

  // What does not continue the log: its beginning, a page or a checksum written over, or
  // frames in the place of a transaction that was rolled back. What follows the beginning
  // or a whole frame is gathered again.
  int write_elsewhere(std::string_view bytes, sqlite3_int64 offset) {
    int code = flush();
    if (code == SQLITE_OK) code = file_->pMethods->xWrite(file_, bytes.data(), static_cast<int>(bytes.size()), offset);
    const sqlite3_int64 end = offset + static_cast<sqlite3_int64>(bytes.size());
    if (code == SQLITE_OK && (offset == 0 || offset == header_end_)) end_ = end;
    header_end_ = bytes.size() == kFrameHeaderBytes ? end : kNowhere;
    commits_ = false;
    return code;
  }

  sqlite3_file* file_;
  std::string gathered_;  // the bytes before end_
  sqlite3_int64 end_ = kNowhere;
  sqlite3_int64 header_end_ = kNowhere;  // of a header that was just written elsewhere
  bool commits_ = false;                 // the frame whose header was gathered last
};

// What SQLite allocates for the log; it must begin with SQLite's own part. The file of the
// VFS below follows.
struct OpenLog {
  sqlite3_file base;
  Log* log;
};

Log& log_of(sqlite3_file* file) { return *reinterpret_cast<OpenLog*>(file)->log; }

int close_log(sqlite3_file* file) {
  // Still gathered is only what was never committed.
  const std::unique_ptr<Log> log(&log_of(file));
  return log->below()->pMethods->xClose(log->below());
}

int read_log(sqlite3_file* file, void* into, int amount, sqlite3_int64 offset) {
  int code = SQLITE_OK;
  sqlite3_file* below = log_of(file).settled(code);
  return below != nullptr ? below->pMethods->xRead(below, into, amount, offset) : code;
}

int write_log(sqlite3_file* file, const void* from, int amount, sqlite3_int64 offset) {
  return log_of(file).write({static_cast<const char*>(from), static_cast<std::size_t>(amount)}, offset);
}

int truncate_log(sqlite3_file* file, sqlite3_int64 size) {
  int code = SQLITE_OK;
  sqlite3_file* below = log_of(file).settled(code);
  return below != nullptr ? below->pMethods->xTruncate(below, size) : code;
}

int sync_log(sqlite3_file* file, int flags) {
  int code = SQLITE_OK;
  sqlite3_file* below = log_of(file).settled(code);
  return below != nullptr ? below->pMethods->xSync(below, flags) : code;
}

int log_size(sqlite3_file* file, sqlite3_int64* size) {
  int code = SQLITE_OK;
  sqlite3_file* below = log_of(file).settled(code);
  return below != nullptr ? below->pMethods->xFileSize(below, size) : code;
}

sqlite3_file* below(sqlite3_file* file) { return log_of(file).below(); }
int lock_log(sqlite3_file* file, int level) { return below(file)->pMethods->xLock(below(file), level); }
int unlock_log(sqlite3_file* file, int level) { return below(file)->pMethods->xUnlock(below(file), level); }
int check_lock(sqlite3_file* file, int* out) { return below(file)->pMethods->xCheckReservedLock(below(file), out); }
int control_log(sqlite3_file* file, int op, void* argument) {
  return below(file)->pMethods->xFileControl(below(file), op, argument);
}
int sector_size(sqlite3_file* file) { return below(file)->pMethods->xSectorSize(below(file)); }
int characteristics(sqlite3_file* file) { return below(file)->pMethods->xDeviceCharacteristics(below(file)); }

constexpr sqlite3_io_methods make_log_methods() {
  sqlite3_io_methods methods{};
  methods.iVersion = 1;
  methods.xClose = close_log;
  methods.xRead = read_log;
  methods.xWrite = write_log;
  methods.xTruncate = truncate_log;
  methods.xSync = sync_log;
  methods.xFileSize = log_size;
  methods.xLock = lock_log;
  methods.xUnlock = unlock_log;
  methods.xCheckReservedLock = check_lock;
  methods.xFileControl = control_log;
  methods.xSectorSize = sector_size;
  methods.xDeviceCharacteristics = characteristics;
  return methods;
}
constexpr sqlite3_io_methods kLogMethods = make_log_methods();

}  // namespace

// A copy of the table below, so that all but opening files is done there.
struct GatheringVfs::Table : sqlite3_vfs {
  explicit Table(sqlite3_vfs* vfs) : sqlite3_vfs(*vfs), below(vfs) {
    pNext = nullptr;
    szOsFile += static_cast<int>(sizeof(OpenLog));
    xOpen = open;
  }

  static int open(sqlite3_vfs* table, const char* path, sqlite3_file* file, int flags, int* flags_out) {
    sqlite3_vfs* below = static_cast<Table*>(table)->below;
    if ((flags & SQLITE_OPEN_WAL) == 0) return below->xOpen(below, path, file, flags, flags_out);
    auto* opened = reinterpret_cast<OpenLog*>(file);
    auto* inner = reinterpret_cast<sqlite3_file*>(opened + 1);
    opened->base.pMethods = nullptr;  // tells SQLite not to close what did not open
    const int code = below->xOpen(below, path, inner, flags, flags_out);
    if (code != SQLITE_OK) {
      if (inner->pMethods != nullptr) inner->pMethods->xClose(inner);
      return code;
    }
    opened->log = std::make_unique<Log>(inner).release();  // close_log gives it back
    opened->base.pMethods = &kLogMethods;
    return SQLITE_OK;
  }

  sqlite3_vfs* below;
};

Result<std::unique_ptr<GatheringVfs>> GatheringVfs::over(const std::string& vfs) {
  initialize_sqlite();
  sqlite3_vfs* below = sqlite3_vfs_find(vfs.empty() ? nullptr : vfs.c_str());
  if (below == nullptr) return fail(Code::internal, fmt::format("there is no SQLite VFS '{}'", vfs));
  return std::unique_ptr<GatheringVfs>(new GatheringVfs(std::make_unique<Table>(below)));
}

GatheringVfs::GatheringVfs(std::unique_ptr<Table> table)
    : name_(fmt::format("gathering-{}", fmt::ptr(table.get()))), table_(std::move(table)) {
  table_->zName = name_.c_str();
  CHECK(sqlite3_vfs_register(table_.get(), 0) == SQLITE_OK);
}

GatheringVfs::~GatheringVfs() { sqlite3_vfs_unregister(table_.get()); }

}  // namespace teamster::store
