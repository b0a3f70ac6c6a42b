#include "env/sim/sim_processes.h"

namespace teamster::env::sim {
ProcessIdentity ProcessTable::add(HostId host, std::uint64_t start_ticks) {
  const ProcessIdentity identity{pid_of(host), start_ticks, boot_id_, "sim", kFirstPidNamespace};
  living_[identity.pid] = identity;
  return identity;
}

void ProcessTable::kill(HostId host) { living_.erase(pid_of(host)); }

std::optional<ProcessIdentity> ProcessTable::identify(std::int64_t pid) const {
  const auto found = living_.find(pid);
  if (found == living_.end()) return std::nullopt;
  return found->second;
}

std::optional<SeenProcess> ProcessTable::look_at(std::int64_t pid) const {
  const auto host = identify(pid);
  const auto told = told_.find(pid);
  if (told == told_.end()) return host ? std::optional(SeenProcess{.start_ticks = host->start_ticks}) : std::nullopt;
  SeenProcess seen = told->second.seen;
  if (host) seen.start_ticks = host->start_ticks;
  return seen;
}

std::vector<std::string> ProcessTable::arguments_of(std::int64_t pid) const {
  const auto told = told_.find(pid);
  return told == told_.end() ? std::vector<std::string>() : told->second.arguments;
}

void ProcessTable::reboot(std::string boot_id) {
  living_.clear();
  told_.clear();
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
