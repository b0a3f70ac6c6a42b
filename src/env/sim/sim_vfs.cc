#include "env/sim/sim_vfs.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"

namespace teamster::env::sim {
namespace {

// What SQLite allocates for an open file; it must begin with SQLite's own part.
struct OpenFile {
  sqlite3_file base;
  SimVfs::Handle* handle;
};

SimVfs& vfs_of(sqlite3_vfs* table) { return *static_cast<SimVfs*>(table->pAppData); }
SimVfs::Handle& handle_of(sqlite3_file* file) { return *reinterpret_cast<OpenFile*>(file)->handle; }

int close_file(sqlite3_file* file) {
  auto& handle = handle_of(file);
  handle.vfs->close(&handle);
  return SQLITE_OK;
}

int read_file(sqlite3_file* file, void* into, int amount, sqlite3_int64 offset) {
  const auto& handle = handle_of(file);
  const int code = handle.vfs->begin(DiskOperation::read, handle.name, SQLITE_IOERR_READ);
  if (code != SQLITE_OK) return code;
  const std::string& bytes = handle.file->bytes();
  const auto wanted = static_cast<std::size_t>(amount);
  const auto start = std::min(static_cast<std::size_t>(offset), bytes.size());
  const std::size_t there = std::min(wanted, bytes.size() - start);
  std::memcpy(into, bytes.data() + start, there);
  if (there == wanted) return SQLITE_OK;
  // SQLite demands zeros where there is nothing.
  std::memset(static_cast<char*>(into) + there, 0, wanted - there);
  return SQLITE_IOERR_SHORT_READ;
}

int write_file(sqlite3_file* file, const void* from, int amount, sqlite3_int64 offset) {
  const auto& handle = handle_of(file);
  const int code = handle.vfs->begin(DiskOperation::write, handle.name, SQLITE_IOERR_WRITE);
  if (code != SQLITE_OK) return code;
  handle.file->write(static_cast<std::size_t>(offset),
                     {static_cast<const char*>(from), static_cast<std::size_t>(amount)});
  return SQLITE_OK;
}

int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  const auto& handle = handle_of(file);
  const int code = handle.vfs->begin(DiskOperation::truncate, handle.name, SQLITE_IOERR_TRUNCATE);
  if (code == SQLITE_OK) handle.file->truncate(static_cast<std::size_t>(size));
  return code;
}

int sync_file(sqlite3_file* file, int) { return handle_of(file).vfs->sync(handle_of(file)); }

int file_size(sqlite3_file* file, sqlite3_int64* size) {
  *size = static_cast<sqlite3_int64>(handle_of(file).file->bytes().size());
  return SQLITE_OK;
}

int lock_file(sqlite3_file* file, int level) { return handle_of(file).vfs->lock(handle_of(file), level); }

int unlock_file(sqlite3_file* file, int level) {
  auto& handle = handle_of(file);
  if (level == SQLITE_LOCK_NONE)
    handle.file->locks.erase(&handle);
  else if (const auto held = handle.file->locks.find(&handle); held != handle.file->locks.end())
    held->second = std::min(held->second, level);
  return SQLITE_OK;
}

int check_reserved_lock(sqlite3_file* file, int* is_reserved) {
  const auto& locks = handle_of(file).file->locks;
  *is_reserved =
      std::any_of(locks.begin(), locks.end(), [](const auto& entry) { return entry.second >= SQLITE_LOCK_RESERVED; });
  return SQLITE_OK;
}

int file_control(sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; }
int sector_size(sqlite3_file*) { return 4096; }
// As the real unix VFS says: a torn write does not touch the bytes beside it.
int device_characteristics(sqlite3_file*) { return SQLITE_IOCAP_POWERSAFE_OVERWRITE; }

constexpr sqlite3_io_methods make_io_methods() {
  sqlite3_io_methods methods{};
  methods.iVersion = 1;
  methods.xClose = close_file;
  methods.xRead = read_file;
  methods.xWrite = write_file;
  methods.xTruncate = truncate_file;
  methods.xSync = sync_file;
  methods.xFileSize = file_size;
  methods.xLock = lock_file;
  methods.xUnlock = unlock_file;
  methods.xCheckReservedLock = check_reserved_lock;
  methods.xFileControl = file_control;
  methods.xSectorSize = sector_size;
  methods.xDeviceCharacteristics = device_characteristics;
  return methods;
}
constexpr sqlite3_io_methods kIoMethods = make_io_methods();

int open_file(sqlite3_vfs* table, const char* path, sqlite3_file* file, int flags, int* flags_out) {
  auto* opened = reinterpret_cast<OpenFile*>(file);
  opened->base.pMethods = nullptr;  // tells SQLite not to close what did not open
  std::unique_ptr<SimVfs::Handle> handle;
  const int code = vfs_of(table).open(path, flags, handle);
  if (code != SQLITE_OK) return code;
  opened->handle = handle.release();  // close_file gives it back
  opened->base.pMethods = &kIoMethods;
  if (flags_out != nullptr) *flags_out = flags;
  return SQLITE_OK;
}

int delete_file(sqlite3_vfs* table, const char* path, int sync_directory) {
  return vfs_of(table).remove(path, sync_directory != 0);
}

int access_file(sqlite3_vfs* table, const char* path, int, int* answer) {
  *answer = vfs_of(table).exists(path) ? 1 : 0;
  return SQLITE_OK;
}

int full_path(sqlite3_vfs*, const char* path, int capacity, char* out) {
  sqlite3_snprintf(capacity, out, "%s", path);
  return SQLITE_OK;
}

int randomness(sqlite3_vfs* table, int amount, char* out) {
  for (int i = 0; i < amount; ++i) out[i] = static_cast<char>(vfs_of(table).random().next());
  return amount;
}

// Waiting would not make anybody else run: there is one thread in the simulation.
int sleep_for(sqlite3_vfs*, int microseconds) { return microseconds; }

int current_time_ms(sqlite3_vfs* table, sqlite3_int64* julian_ms) {
  constexpr sqlite3_int64 kUnixEpochInJulianMs = 210866760000000;
  *julian_ms = kUnixEpochInJulianMs + vfs_of(table).now().unix_ms;
  return SQLITE_OK;
}

int current_time(sqlite3_vfs* table, double* julian_days) {
  sqlite3_int64 ms = 0;
  current_time_ms(table, &ms);
  *julian_days = static_cast<double>(ms) / 86'400'000.0;
  return SQLITE_OK;
}

int last_error(sqlite3_vfs*, int, char*) { return 0; }

// SQLite's unix VFS syncs the directory with the first sync of a new journal or log.
bool is_new_journal(int flags) {
  constexpr int kJournals = SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_WAL;
  return (flags & SQLITE_OPEN_CREATE) != 0 && (flags & kJournals) != 0;
}

std::string directory_of(const std::string& file) { return file.substr(0, file.rfind('/') + 1); }

}  // namespace

SimVfs::SimVfs(SimDisk& owner, std::string vfs_name) : disk(owner), name(std::move(vfs_name)) {
  table.iVersion = 2;
  table.szOsFile = sizeof(OpenFile);
  table.mxPathname = 1024;
  table.zName = name.c_str();
  table.pAppData = this;
  table.xOpen = open_file;
  table.xDelete = delete_file;
  table.xAccess = access_file;
  table.xFullPathname = full_path;
  table.xRandomness = randomness;
  table.xSleep = sleep_for;
  table.xCurrentTime = current_time;
  table.xGetLastError = last_error;
  table.xCurrentTimeInt64 = current_time_ms;
  CHECK(sqlite3_vfs_register(&table, 0) == SQLITE_OK);
}

SimVfs::~SimVfs() {
  // A connection that is still open would come back to memory that is gone.
  CHECK(handles.empty());
  sqlite3_vfs_unregister(&table);
}

void SimVfs::kill() {
  is_dead = true;
  for (Handle* handle : handles) handle->file->locks.erase(handle);
}

int SimVfs::begin(DiskOperation operation, const std::string& file, int if_dead) const {
  return is_dead ? if_dead : disk.fault(operation, file);
}

int SimVfs::open(const char* path, int flags, std::unique_ptr<Handle>& handle) {
  const std::string file_name = path != nullptr ? path : "";
  const int code = begin(DiskOperation::open, file_name, SQLITE_CANTOPEN);
  if (code != SQLITE_OK) return code;
  std::shared_ptr<DiskFile> file;
  if (const auto found = disk.seen_.find(file_name); found != disk.seen_.end()) file = found->second;
  if (file && (flags & SQLITE_OPEN_EXCLUSIVE) != 0) return SQLITE_CANTOPEN;
  if (!file) {
    if ((flags & SQLITE_OPEN_CREATE) == 0) return SQLITE_CANTOPEN;
    file = std::make_shared<DiskFile>();
    if (!file_name.empty()) disk.seen_[file_name] = file;
  }
  handle = std::make_unique<Handle>(
      Handle{this, file_name, file, (flags & SQLITE_OPEN_DELETEONCLOSE) != 0, is_new_journal(flags)});
  handles.insert(handle.get());
  return SQLITE_OK;
}

void SimVfs::close(Handle* handle) {
  const std::unique_ptr<Handle> closed(handle);
  handles.erase(handle);
  handle->file->locks.erase(handle);
  if (handle->delete_on_close && !is_dead) disk.seen_.erase(handle->name);
}

int SimVfs::remove(const char* path, bool sync_directory) {
  const int code = begin(DiskOperation::remove, path, SQLITE_IOERR_DELETE);
  if (code != SQLITE_OK) return code;
  if (disk.seen_.erase(path) == 0) return SQLITE_IOERR_DELETE_NOENT;
  if (sync_directory) sync_directory_of(path);
  return SQLITE_OK;
}

int SimVfs::sync(Handle& handle) {
  const int code = begin(DiskOperation::sync, handle.name, SQLITE_IOERR_FSYNC);
  if (code != SQLITE_OK) {
    if (!is_dead) handle.file->fail_sync();
    return code;
  }
  handle.file->sync();
  if (std::exchange(handle.syncs_directory, false)) sync_directory_of(handle.name);
  // Syncing a new file keeps its name too, on the file systems that matter.
  const auto named = disk.seen_.find(handle.name);
  if (named != disk.seen_.end() && named->second == handle.file) disk.durable_[handle.name] = handle.file;
  return SQLITE_OK;
}

void SimVfs::sync_directory_of(const std::string& file) {
  const std::string directory = directory_of(file);
  const auto is_inside = [&](const auto& entry) { return directory_of(entry.first) == directory; };
  std::erase_if(disk.durable_, is_inside);
  for (const auto& entry : disk.seen_)
    if (is_inside(entry)) disk.durable_.insert(entry);
}

int SimVfs::lock(Handle& handle, int level) {
  const int code = begin(DiskOperation::lock, handle.name, SQLITE_IOERR_LOCK);
  if (code != SQLITE_OK) return code;
  auto& locks = handle.file->locks;
  const bool is_refused = std::any_of(locks.begin(), locks.end(), [&](const auto& entry) {
    const auto& [other, held] = entry;
    if (other == &handle) return false;
    if (level == SQLITE_LOCK_SHARED) return held >= SQLITE_LOCK_PENDING;
    if (level == SQLITE_LOCK_RESERVED) return held >= SQLITE_LOCK_RESERVED;
    return held >= SQLITE_LOCK_SHARED;
  });
  if (is_refused) return SQLITE_BUSY;
  locks[&handle] = std::max(locks[&handle], level);
  return SQLITE_OK;
}

}  // namespace teamster::env::sim
