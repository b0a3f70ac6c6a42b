// SimProcesses: the Processes that one simulated host sees. Hosts are the processes; a
// pid is given once. Programs run only if the world knows what they do (World::on_spawn);
// those with pipes are kept by SimChildren. ProcessTable is what all hosts share, owned by sim::World.
#pragma once

#include <functional>
#include <map>

#include "env/processes.h"
#include "env/sim/host_id.h"

namespace teamster::env::sim {

class ProcessTable {
 public:
  // Each starts a program as a new host; `parent` is who starts it.
  struct Starter {
    std::function<Result<std::unique_ptr<Child>>(HostId parent, const Spawn& spawn)> with_pipes;
    std::function<Result<std::int64_t>(HostId parent, const Spawn& spawn)> detached;
  };

  explicit ProcessTable(std::string boot_id) : boot_id_(std::move(boot_id)) {}

  ProcessIdentity add(HostId host, std::uint64_t start_ticks);
  void kill(HostId host);
  std::optional<ProcessIdentity> identify(std::int64_t pid) const;
  // A host has no parent and no name, and there are no other processes, unless a test tells something else.
  void tell(std::int64_t pid, SeenProcess seen, std::vector<std::string> arguments = {}) {
    told_[pid] = {std::move(seen), std::move(arguments)};
  }
  void forget(std::int64_t pid) { told_.erase(pid); }
  std::optional<SeenProcess> look_at(std::int64_t pid) const;
  std::vector<std::string> arguments_of(std::int64_t pid) const;
  // After a power cut: no identity of before is alive any more.
  void reboot(std::string boot_id);

  void set_starter(Starter starter) { starter_ = std::move(starter); }
  const Starter& starter() const { return starter_; }

  std::string own_executable = "/sim/bin/teamster";

 private:
  std::string boot_id_;
  struct Told {
    SeenProcess seen;
    std::vector<std::string> arguments;
  };

  std::map<std::int64_t, ProcessIdentity> living_;
  std::map<std::int64_t, Told> told_;
  Starter starter_;
};

class SimProcesses : public Processes {
 public:
  SimProcesses(ProcessTable& table, HostId host, ProcessIdentity self)
      : table_(table), host_(host), self_(std::move(self)) {}
  // NAME=value; as it was spawned.
  void set_environment(std::vector<std::string> environment) { environment_ = std::move(environment); }

  Result<std::unique_ptr<Child>> spawn(const Spawn& spawn) override;
  Result<std::int64_t> spawn_detached(const Spawn& spawn) override;
  ProcessIdentity self() override { return self_; }
  std::optional<ProcessIdentity> identify(std::int64_t pid) override { return table_.identify(pid); }
  bool is_alive(const ProcessIdentity& identity) override {
    const auto found = table_.identify(identity.pid);
    return found && is_same_process(*found, identity);
  }
  std::optional<SeenProcess> look_at(std::int64_t pid) override { return table_.look_at(pid); }
  std::vector<std::string> arguments_of(std::int64_t pid) override { return table_.arguments_of(pid); }
  std::optional<std::string> variable(const char* name) override;
  std::vector<std::string> environment() override { return environment_; }
  std::string own_executable() override { return table_.own_executable; }

 private:
  ProcessTable& table_;
  const HostId host_;
  const ProcessIdentity self_;
  std::vector<std::string> environment_;
};

}  // namespace teamster::env::sim
