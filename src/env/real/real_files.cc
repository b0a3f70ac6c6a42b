#include "env/real/real_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>

#include <fmt/format.h>

#include "env/file_error.h"
#include "env/real/blocking_file_sync.h"
#include "env/real/file_system_name.h"
#include "env/real/file_tree.h"
#include "env/temporary_name.h"

namespace teamster::env::real {
namespace {

std::string parent_of(const std::string& path) {
  const auto end = path.find_last_not_of('/');
  if (end == std::string::npos) return "/";
  const auto slash = path.rfind('/', end);
  if (slash == std::string::npos) return ".";
  const auto last = path.find_last_not_of('/', slash);
  return last == std::string::npos ? "/" : path.substr(0, last + 1);
}

// Returns 0 or the errno. Several writes are needed on signals and nearly full disks.
int write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written >= 0)
      bytes.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EINTR)
      return errno;
  }
  return 0;
}

Result<void> sync_directory(const std::string& directory) {
  const Descriptor handle(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!handle) return fail(file_error(errno, "open", directory));
  // EINVAL: a file system that cannot sync directories; nothing better can be done there.
  if (::fsync(handle.number()) != 0 && errno != EINVAL) return fail(file_error(errno, "sync", directory));
  return {};
}

// Non-blocking, so that a FIFO lying there cannot hang us.
constexpr int kReadFlags = O_RDONLY | O_NONBLOCK | O_CLOEXEC;

// `file` is what open gave, or nothing, with its errno.
Result<std::string> read_all(const Descriptor file, const std::string& path, std::size_t max_bytes) {
  if (!file) return fail(file_error(errno, "read", path));
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) return fail(file_error(errno, "read", path));
  if (!S_ISREG(status.st_mode)) return fail(Code::invalid, fmt::format("cannot read {}: it is not a file", path));
  std::string bytes;
  std::array<char, 16 * 1024> buffer;
  while (true) {
    const ssize_t got = ::read(file.number(), buffer.data(), buffer.size());
    if (got == 0) return bytes;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(file_error(errno, "read", path));
    bytes.append(buffer.data(), static_cast<std::size_t>(got));
    if (bytes.size() > max_bytes)
      return fail(Code::invalid, fmt::format("cannot read {}: it is larger than {} bytes", path, max_bytes));
  }
}

Result<void> rename_over(const std::string& temporary, const std::string& path) {
  if (::rename(temporary.c_str(), path.c_str()) == 0) return {};
  const int error_number = errno;
  ::unlink(temporary.c_str());
  return fail(file_error(error_number, "write", path));
}

// Not only after EEXIST: on a read-only or closed place an existing directory is still fine.
Result<void> fine_if_directory(const std::string& path, int error_number) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) return {};
  return fail(file_error(error_number, "create directory", path));
}

class FlockedFile : public FileLock {
 public:
  explicit FlockedFile(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}

 private:
  Descriptor descriptor_;  // closing it drops the lock
};

}  // namespace

Result<std::string> RealFiles::read(const std::string& path, std::size_t max_bytes) {
  return read_all(Descriptor(::open(path.c_str(), kReadFlags)), path, max_bytes);
}

Result<std::string> RealFiles::read_beneath(const std::string& directory, const std::string& path,
                                            std::size_t max_bytes) {
  const Descriptor root(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root) return fail(file_error(errno, "read", directory));
  open_how how{};
  how.flags = kReadFlags;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  Descriptor file(static_cast<int>(::syscall(SYS_openat2, root.number(), path.c_str(), &how, sizeof(how))));
  if (!file && errno == EXDEV)
    return fail(Code::refused, fmt::format("cannot read {}: it leads out of {}", path, directory));
  return read_all(std::move(file), directory + "/" + path, max_bytes);
}

Result<std::string> RealFiles::write_temporary(const std::string& path, std::string_view bytes, std::uint32_t mode,
                                               Durability durability) {
  const std::string temporary = fmt::format("{}/{}", parent_of(path), temporary_name(::getpid(), random_));
  const Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!file) return fail(file_error(errno, "write", path));
  int error_number = write_all(file.number(), bytes);
  if (error_number == 0 && durability == Durability::synced && ::fdatasync(file.number()) != 0) error_number = errno;
  if (error_number == 0) return temporary;
  ::unlink(temporary.c_str());
  return fail(file_error(error_number, "write", path));
}

Result<void> RealFiles::write_atomically(const std::string& path, std::string_view bytes, std::uint32_t mode) {
  TRY_VOID(rename_over(TRY(write_temporary(path, bytes, mode, Durability::synced)), path));
  return sync_directory(parent_of(path));
}

Result<void> RealFiles::replace(const std::string& path, std::string_view bytes, std::uint32_t mode) {
  return rename_over(TRY(write_temporary(path, bytes, mode, Durability::unsynced)), path);
}

Result<bool> RealFiles::create_exclusively(const std::string& path, std::string_view bytes, std::uint32_t mode) {
  const std::string temporary = TRY(write_temporary(path, bytes, mode, Durability::synced));
  // link refuses an existing name, which rename would replace.
  const int error_number = ::link(temporary.c_str(), path.c_str()) == 0 ? 0 : errno;
  ::unlink(temporary.c_str());
  if (error_number != 0 && error_number != EEXIST) return fail(file_error(error_number, "create", path));
  // Also when it was there already: the caller will rely on it, and its creator may not
  // have come this far yet.
  TRY_VOID(sync_directory(parent_of(path)));
  return error_number == 0;
}

Result<void> RealFiles::append(const std::string& path, std::string_view bytes, std::uint32_t mode) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, mode));
  if (!file) return fail(file_error(errno, "write", path));
  if (const int error_number = write_all(file.number(), bytes); error_number != 0)
    return fail(file_error(error_number, "write", path));
  return {};
}

Result<void> RealFiles::make_private_directory(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) == 0) return sync_directory(parent_of(path));
  const int error_number = errno;
  if (error_number == ENOENT && parent_of(path) != path && !path.empty()) {
    TRY_VOID(make_private_directory(parent_of(path)));
    if (::mkdir(path.c_str(), 0700) == 0) return sync_directory(parent_of(path));
    return errno == EEXIST ? make_private_directory(path) : fail(file_error(errno, "create directory", path));
  }
  return fine_if_directory(path, error_number);
}

Result<void> RealFiles::make_directory(const std::string& path, std::uint32_t mode) {
  if (::mkdir(path.c_str(), mode) == 0) return sync_directory(parent_of(path));
  return fine_if_directory(path, errno);
}

Result<std::optional<FileStatus>> RealFiles::status(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::optional<FileStatus>{};
    return fail(file_error(errno, "look at", path));
  }
  FileStatus answer;
  answer.is_directory = S_ISDIR(status.st_mode);
  answer.mode = status.st_mode & 07777U;
  answer.owner_uid = status.st_uid;
  answer.device = status.st_dev;
  answer.inode = status.st_ino;
  answer.bytes = static_cast<std::uint64_t>(status.st_size);
  answer.modified_unix_ms = status.st_mtim.tv_sec * 1000 + status.st_mtim.tv_nsec / 1'000'000;
  return std::optional(answer);
}

Result<std::vector<std::string>> RealFiles::list(const std::string& directory) {
  const std::unique_ptr<DIR, int (*)(DIR*)> handle(::opendir(directory.c_str()), ::closedir);
  if (!handle) return fail(file_error(errno, "list", directory));
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(handle.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  if (errno != 0) return fail(file_error(errno, "list", directory));
  std::sort(names.begin(), names.end());
  return names;
}

Result<void> RealFiles::rename(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) return fail(file_error(errno, "rename", from + " to " + to));
  TRY_VOID(sync_directory(parent_of(to)));
  if (parent_of(from) != parent_of(to)) TRY_VOID(sync_directory(parent_of(from)));
  return {};
}

Result<void> RealFiles::remove_tree(const std::string& path) {
  if (const auto error_number = remove_file_tree(path); error_number != 0)
    return fail(file_error(error_number, "remove", path));
  return {};
}

Result<std::uint64_t> RealFiles::free_bytes(const std::string& path) {
  struct statvfs status {};
  if (::statvfs(path.c_str(), &status) != 0) return fail(file_error(errno, "look at", path));
  return static_cast<std::uint64_t>(status.f_bavail) * status.f_frsize;
}

Result<std::string> RealFiles::file_system(const std::string& path) { return file_system_name(path); }

Result<std::unique_ptr<FileLock>> RealFiles::try_lock(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY, 0600));
  if (!file) return fail(file_error(errno, "lock", path));
  while (::flock(file.number(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return std::unique_ptr<FileLock>{};
    if (errno != EINTR) return fail(file_error(errno, "lock", path));
  }
  return std::make_unique<FlockedFile>(std::move(file));
}

Result<std::unique_ptr<FileSync>> RealFiles::open_sync(const std::string& path) { return BlockingFileSync::open(path); }

Result<Registration> RealFiles::watch(const std::string& directory, std::function<void()> changed) {
  return watches_.add(directory, std::move(changed));
}

}  // namespace teamster::env::real
