#include "env/sim/sim_processes.h"

#include <fmt/format.h>

namespace teamster::env::sim {
namespace {

constexpr std::int64_t kPidOfFirstHost = 1000;

}  // namespace

ProcessIdentity ProcessTable::add(HostId host, std::uint64_t start_ticks) {
  const ProcessIdentity identity{kPidOfFirstHost + host.value, start_ticks, boot_id_, "sim", kFirstPidNamespace};
  living_[host] = identity;
  return identity;
}

void ProcessTable::kill(HostId host) { living_.erase(host); }

std::optional<ProcessIdentity> ProcessTable::identify(std::int64_t pid) const {
  const auto found = living_.find(HostId(pid - kPidOfFirstHost));
  if (found == living_.end()) return std::nullopt;
  return found->second;
}

void ProcessTable::reboot(std::string boot_id) {
  living_.clear();
  boot_id_ = std::move(boot_id);
}

Result<std::unique_ptr<Child>> SimProcesses::spawn(const Spawn& spawn) {
  return fail(Code::failed, fmt::format("cannot start {}: children with pipes are not simulated", spawn.program));
}

Result<std::int64_t> SimProcesses::spawn_detached(const Spawn& spawn) {
  if (!is_alive(self_)) return fail(Code::unavailable, "cannot start a program: this process was killed");
  return table_.start(spawn);
}

}  // namespace teamster::env::sim
