// RealFiles: Files on the machine's own file system. Owned by real::World. All calls
// block for as long as the disk takes; watches are called from the loop.
#pragma once

#include "env/files.h"
#include "env/random.h"
#include "env/real/directory_watches.h"
#include "env/real/epoll_loop.h"

namespace teamster::env::real {

class RealFiles : public Files {
 public:
  RealFiles(EpollLoop& loop, env::Random& random) : loop_(loop), random_(random), watches_(loop) {}

  Result<std::string> read(const std::string& path, std::size_t max_bytes) override;
  Result<std::string> read_beneath(const std::string& directory, const std::string& path,
                                   std::size_t max_bytes) override;
  Result<void> write_atomically(const std::string& path, std::string_view bytes, std::uint32_t mode) override;
  Result<void> replace(const std::string& path, std::string_view bytes, std::uint32_t mode) override;
  Result<bool> create_exclusively(const std::string& path, std::string_view bytes, std::uint32_t mode) override;
  Result<void> append(const std::string& path, std::string_view bytes, std::uint32_t mode) override;
  Result<void> make_private_directory(const std::string& path) override;
  Result<void> make_directory(const std::string& path, std::uint32_t mode) override;
  Result<std::optional<FileStatus>> status(const std::string& path) override;
  Result<std::vector<std::string>> list(const std::string& directory) override;
  // Durable when it returns.
  Result<void> rename(const std::string& from, const std::string& to) override;
  Result<void> remove_tree(const std::string& path) override;
  Result<std::uint64_t> free_bytes(const std::string& path) override;
  Result<std::string> file_system(const std::string& path) override;
  Result<std::unique_ptr<FileLock>> try_lock(const std::string& path) override;
  Result<std::unique_ptr<FileSync>> open_sync(const std::string& path) override;
  Result<Registration> watch(const std::string& directory, std::function<void()> changed) override;

 private:
  // A new, complete and synced file beside `path`; returns its path.
  enum class Durability { synced, unsynced };
  Result<std::string> write_temporary(const std::string& path, std::string_view bytes, std::uint32_t mode,
                                      Durability durability);

  EpollLoop& loop_;
  env::Random& random_;
  DirectoryWatches watches_;
};

}  // namespace teamster::env::real
