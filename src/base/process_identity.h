// ProcessIdentity: which process is meant, on which machine. A pid alone is never an identity: pids are reused, and
// the same number names another process in another pid namespace or after another boot. A value; how it is written
// down is in protocol/words/process_record.h.
#pragma once

#include <cstdint>
#include <string>

namespace teamster {

struct ProcessIdentity {
  std::int64_t pid = 0;
  std::uint64_t start_ticks = 0;  // field 22 of /proc/PID/stat
  std::string boot_id = {};
  // The machine itself, whatever its boot; empty in what older programs wrote and where the machine does not tell.
  std::string machine_id = {};
  // The inode of the namespace that `pid` is a number of; 0 in what older programs wrote.
  std::uint64_t pid_namespace = 0;
  bool operator==(const ProcessIdentity&) const = default;
};

// The number of the namespace that a machine begins with, the same on each. Containers have others.
inline constexpr std::uint64_t kFirstPidNamespace = 0xEFFFFFFC;

// Whether both mean the same process, as far as both say where it is.
inline bool is_same_process(const ProcessIdentity& a, const ProcessIdentity& b) {
  const auto agree = [](const auto& one, const auto& other, const auto& unknown) {
    return one == unknown || other == unknown || one == other;
  };
  return a.pid == b.pid && a.start_ticks == b.start_ticks && a.boot_id == b.boot_id &&
         agree(a.machine_id, b.machine_id, std::string()) && agree(a.pid_namespace, b.pid_namespace, std::uint64_t{0});
}

}  // namespace teamster
