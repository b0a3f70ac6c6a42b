// DiskFile: the bytes of one file on the simulated disk, and which of them would survive
// a power cut. Also knows who holds which SQLite lock on it. Owned by SimDisk and by the
// handles that are open on it.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "env/sim/sim_random.h"

namespace teamster::env::sim {

class DiskFile {
 public:
  const std::string& bytes() const { return seen_; }
  void write(std::size_t offset, std::string_view bytes);
  void truncate(std::size_t size);
  // Everything written so far survives from now on, except what a failed sync gave up.
  void sync();
  // As Linux does it: the pages are marked clean although they never reached the disk, so
  // that no later sync brings them there.
  void fail_sync();
  // Each change since the last sync survives, is lost, or survives in some of its sectors.
  void power_cut(SimRandom& random);

  std::map<const void*, int> locks;  // by handle; SQLITE_LOCK_*

 private:
  struct Change {
    std::size_t offset = 0;  // the new size, for a truncation
    std::string bytes;
    bool is_truncation = false;
    bool is_lost = false;
  };
  static void apply(const Change& change, std::string& bytes);

  std::string seen_;
  std::string durable_;
  std::vector<Change> unsynced_;
};

}  // namespace teamster::env::sim
