// SimVfs: one host's way to the SimDisk, as the table of functions SQLite calls. Private
// to SimDisk; registered from its construction to its destruction.
#pragma once

#include <memory>
#include <set>
#include <string>

#include <sqlite3.h>

#include "env/sim/sim_disk.h"

namespace teamster::env::sim {

struct SimVfs {
  // One open file. `name` is empty for SQLite's unnamed temporary files.
  struct Handle {
    SimVfs* vfs;
    std::string name;
    std::shared_ptr<DiskFile> file;
    bool delete_on_close = false;
    bool syncs_directory = false;  // with its first sync
  };

  SimVfs(SimDisk& owner, std::string vfs_name);
  ~SimVfs();
  SimVfs(const SimVfs&) = delete;
  SimVfs& operator=(const SimVfs&) = delete;

  void kill();

  // Each returns an SQLite code.
  int open(const char* path, int flags, std::unique_ptr<Handle>& handle);
  int remove(const char* path, bool sync_directory);
  bool exists(const char* path) const { return disk.seen_.contains(path); }
  void close(Handle* handle);
  int sync(Handle& handle);
  // Names that came and went in the directory of this file are so for good.
  void sync_directory_of(const std::string& file);
  int lock(Handle& handle, int level);
  // SQLITE_OK, the ordered fault, or `if_dead` after the host was killed.
  int begin(DiskOperation operation, const std::string& file, int if_dead) const;

  SimRandom& random() { return disk.random_; }
  WallTime now() const { return disk.now_(); }

  SimDisk& disk;
  const std::string name;
  bool is_dead = false;
  std::set<Handle*> handles;
  sqlite3_vfs table{};
};

}  // namespace teamster::env::sim
