// RealProcesses: Processes of this machine, from posix_spawn, pidfds and /proc. Owned by
// real::World; children report their exit through its loop.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "env/processes.h"
#include "env/real/epoll_loop.h"

namespace teamster::env::real {

class RealProcesses : public Processes {
 public:
  explicit RealProcesses(EpollLoop& loop) : loop_(loop) {}

  Result<std::unique_ptr<Child>> spawn(const Spawn& spawn) override;
  Result<std::int64_t> spawn_detached(const Spawn& spawn) override;
  ProcessIdentity self() override;
  std::optional<ProcessIdentity> identify(std::int64_t pid) override;
  bool is_alive(const ProcessIdentity& identity) override;
  std::optional<SeenProcess> look_at(std::int64_t pid) override;
  std::vector<std::string> arguments_of(std::int64_t pid) override;
  std::optional<std::string> variable(const char* name) override;
  std::vector<std::string> environment() override;
  std::string own_executable() override;

 private:
  // What does not change while this process lives. Read when it is first needed.
  struct Here {
    std::string boot_id;
    std::string machine_id;
    std::uint64_t pid_namespace = 0;
  };

  EpollLoop& loop_;
  std::optional<Here> here_;
};

}  // namespace teamster::env::real
