// SimFiles: the Files that one simulated process sees, on the SimFileTree all share. After
// the process was killed every call fails and changes nothing.
#pragma once

#include "env/files.h"
#include "env/sim/sim_file_tree.h"

namespace teamster::env::sim {

class SimFiles : public Files {
 public:
  SimFiles(SimFileTree& tree, SimLoop& loop, const env::Clock& clock, HostId host)
      : tree_(tree), loop_(loop), clock_(clock), host_(host) {}

  Result<std::string> read(const std::string& path, std::size_t max_bytes) override;
  // There are no links here.
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
  Result<void> rename(const std::string& from, const std::string& to) override;
  Result<void> remove_tree(const std::string& path) override;
  Result<std::uint64_t> free_bytes(const std::string& path) override;
  Result<std::string> file_system(const std::string& path) override;
  Result<std::unique_ptr<FileLock>> try_lock(const std::string& path) override;
  // The files others write here are SQLite's, and those are on the SimDisk: always an error.
  Result<std::unique_ptr<FileSync>> open_sync(const std::string& path) override;
  Result<Registration> watch(const std::string& directory, std::function<void()> changed) override;

 private:
  Result<std::string> begin(FileOperation operation, const std::string& path);
  Result<void> check_parent(std::string_view action, const std::string& path);
  Result<void> check_is_no_directory(std::string_view action, const std::string& path);
  SimFileTree::Node new_file(std::string_view bytes, std::uint32_t mode) const;

  SimFileTree& tree_;
  SimLoop& loop_;
  const env::Clock& clock_;
  const HostId host_;
};

}  // namespace teamster::env::sim
