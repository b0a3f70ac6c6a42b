#include "env/sim/sim_processes.h"

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
  if (!is_alive(self_)) return fail(Code::unavailable, "cannot start a program: this process was killed");
  return table_.starter().with_pipes(host_, spawn);
}

Result<std::int64_t> SimProcesses::spawn_detached(const Spawn& spawn) {
  if (!is_alive(self_)) return fail(Code::unavailable, "cannot start a program: this process was killed");
  return table_.starter().detached(host_, spawn);
}

std::optional<std::string> SimProcesses::variable(const char* name) {
  const std::string start = std::string(name) + "=";
  for (const auto& variable : environment_)
    if (variable.starts_with(start)) return variable.substr(start.size());
  return std::nullopt;
}

}  // namespace teamster::env::sim
