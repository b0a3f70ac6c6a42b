// Files: the part of the file system the program needs, with durability spelled out.
// Errors name the path and what to do (full disk, read-only, permission).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "env/file_sync.h"
#include "env/registration.h"

namespace teamster::env {

// Held for as long as the object lives; the system drops it when the process dies.
class FileLock {
 public:
  virtual ~FileLock() = default;
};

struct FileStatus {
  bool is_directory = false;
  std::uint32_t mode = 0;  // permission bits
  std::uint32_t owner_uid = 0;
  std::uint64_t bytes = 0;
  std::int64_t modified_unix_ms = 0;
  // What says that two paths lead to the same file. 0: unknown.
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
};

class Files {
 public:
  virtual ~Files() = default;

  // Code::not_found when there is none; Code::invalid when larger than max_bytes.
  virtual Result<std::string> read(const std::string& path, std::size_t max_bytes) = 0;
  // The same for a path from the directory on, for names that come from elsewhere: Code::refused
  // when a link or ".." on the way leads out of the directory.
  virtual Result<std::string> read_beneath(const std::string& directory, const std::string& path,
                                           std::size_t max_bytes) = 0;
  // After it returns the new content survives power loss; a reader sees the old or the
  // new content, never a part. Created with `mode`, less what the umask of this process takes away.
  virtual Result<void> write_atomically(const std::string& path, std::string_view bytes, std::uint32_t mode) = 0;
  // The same for what may be lost with the power: it waits for no disk.
  virtual Result<void> replace(const std::string& path, std::string_view bytes, std::uint32_t mode) = 0;
  // As write_atomically, but an existing file is left alone. Returns whether this call created it.
  virtual Result<bool> create_exclusively(const std::string& path, std::string_view bytes, std::uint32_t mode) = 0;
  virtual Result<void> append(const std::string& path, std::string_view bytes, std::uint32_t mode) = 0;
  // Also its parents, all new ones with mode 0700. An existing directory is left as it is.
  virtual Result<void> make_private_directory(const std::string& path) = 0;
  // One directory in a parent that must be there, with `mode` less the umask. An existing one is left as it is.
  virtual Result<void> make_directory(const std::string& path, std::uint32_t mode) = 0;
  virtual Result<std::optional<FileStatus>> status(const std::string& path) = 0;
  // Sorted by name.
  virtual Result<std::vector<std::string>> list(const std::string& directory) = 0;
  virtual Result<void> rename(const std::string& from, const std::string& to) = 0;
  // File, or directory with all it holds; links are removed, not followed. Absent is fine.
  virtual Result<void> remove_tree(const std::string& path) = 0;
  virtual Result<std::uint64_t> free_bytes(const std::string& path) = 0;
  // "ext4", "nfs", …: to warn about homes on a network file system.
  virtual Result<std::string> file_system(const std::string& path) = 0;
  // nullptr when another process holds it.
  virtual Result<std::unique_ptr<FileLock>> try_lock(const std::string& path) = 0;
  // For what others write to the file (SQLite its log). The file must exist.
  virtual Result<std::unique_ptr<FileSync>> open_sync(const std::string& path) = 0;
  // Calls back when something in the directory changed (coalesced).
  virtual Result<Registration> watch(const std::string& directory, std::function<void()> changed) = 0;
};

}  // namespace teamster::env
