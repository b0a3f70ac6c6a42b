// SimChildren: the simulated processes that have pipes: whose children they are, their standard streams, which signals
// they hear and how they end. What is said to a pipe arrives, in order and in pieces; what a process that dies had not
// handed to the system yet is lost. The children of a process that has died are ended as the keeper does it: SIGTERM,
// then SIGKILL. Owned by sim::World.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "env/processes.h"
#include "env/sim/host_id.h"
#include "env/sim/network_faults.h"
#include "env/sim/sim_connection.h"
#include "env/sim/sim_loop.h"

namespace teamster::env::sim {

class SimChildren {
 public:
  // `kill` ends a host and comes back here with kill().
  SimChildren(SimLoop& loop, SimRandom random, std::function<void(HostId host)> kill);
  SimChildren(const SimChildren&) = delete;
  SimChildren& operator=(const SimChildren&) = delete;

  // The parent's side.
  std::unique_ptr<Child> add(HostId parent, HostId child, std::int64_t pid);
  std::set<HostId> living_children_of(HostId parent) const;

  // The child's side. Reads standard input, writes standard output; asked for once. Without pipes nullptr.
  std::unique_ptr<Stream> standard_streams(HostId child);
  void complain(HostId child, std::string_view text);
  Registration watch_signal(HostId child, int number, Callback callback);
  void exit(HostId child, ExitStatus status);

  // From outside: the process hears it, or ends by it.
  void signal(HostId child, int number);
  // This host is gone.
  void kill(HostId host);

 private:
  friend class SimChild;
  using Pipe = std::shared_ptr<SimConnection>;
  struct Process {
    HostId parent;
    HostId host;
    Pipe input, output, errors;
    std::unique_ptr<Stream> complaints;
    std::map<std::uint64_t, std::pair<int, std::shared_ptr<const Callback>>> watches;
    std::optional<ExitStatus> status;  // how it ends, or has ended
    std::function<void(ExitStatus)> on_exit;
    bool is_told = false;  // its parent may hear of the end
    Registration telling;
    std::vector<Registration> ending;  // what the keeper does to it
  };

  std::shared_ptr<Process> find(HostId child) const;
  void tell(const std::shared_ptr<Process>& process);
  void end_orphan(const std::shared_ptr<Process>& process);
  Duration drawn_delay();

  SimLoop& loop_;
  SimRandom random_;
  const std::function<void(HostId host)> kill_;
  const NetworkFaults pipes_;
  std::map<HostId, std::shared_ptr<Process>> living_;
  std::uint64_t last_watch_ = 0;
};

}  // namespace teamster::env::sim
