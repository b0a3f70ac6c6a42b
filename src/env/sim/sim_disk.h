// SimDisk: a disk for SQLite, in memory, that can lose what was not synced and fail on
// order. Each host gets a VFS of its own by name, so that a killed host's connections can
// not touch a byte any more, whenever they are closed. For WAL set locking_mode=EXCLUSIVE
// before the first access: there is no shared memory. Owned by sim::World; databases must
// be closed before it goes.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "env/sim/disk_file.h"
#include "env/sim/host_id.h"
#include "env/sim/sim_random.h"

namespace teamster::env::sim {

enum class DiskOperation { open, read, write, truncate, sync, remove, lock };

struct SimVfs;

class SimDisk {
 public:
  // Returns an SQLite error code (SQLITE_FULL, SQLITE_IOERR_FSYNC, SQLITE_BUSY, …) or 0
  // for no fault. Asked before the operation does anything.
  using FaultHook = std::function<int(DiskOperation operation, std::string_view file)>;
  using Now = std::function<WallTime()>;

  SimDisk(SimRandom random, Now now);
  ~SimDisk();
  SimDisk(const SimDisk&) = delete;
  SimDisk& operator=(const SimDisk&) = delete;

  // Name of the VFS for this host; registered with SQLite until the disk goes.
  std::string attach(HostId host);
  // What it wrote stays; its open files and locks are gone.
  void kill(HostId host);
  // All hosts are dead, and of what was not synced some is lost.
  void power_cut(SimRandom& random);
  void set_fault(FaultHook hook) { fault_ = std::move(hook); }

  std::vector<std::string> names() const;
  // For tests that look at or damage what is on the disk; durable at once.
  std::string bytes(const std::string& file) const;
  void replace(const std::string& file, std::string_view bytes);

 private:
  friend struct SimVfs;

  int fault(DiskOperation operation, std::string_view file) const { return fault_ ? fault_(operation, file) : 0; }

  SimRandom random_;
  Now now_;
  FaultHook fault_;
  std::map<std::string, std::shared_ptr<DiskFile>> seen_;
  std::map<std::string, std::shared_ptr<DiskFile>> durable_;
  std::map<HostId, std::unique_ptr<SimVfs>> attached_;
};

}  // namespace teamster::env::sim
