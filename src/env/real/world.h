// World: the real machine. Owned by main, outlives everything that borrows its view.
// At most one per process at a time: it changes how the process treats SIGPIPE and SIGCHLD.
#pragma once

#include "env/real/clock.h"
#include "env/real/epoll_loop.h"
#include "env/real/random.h"
#include "env/real/real_files.h"
#include "env/real/real_processes.h"
#include "env/real/unix_network.h"
#include "env/world.h"

namespace teamster::env::real {

class World {
 public:
  // `clock_file`: of a rehearsal, see Clock.
  explicit World(const std::string& clock_file = {});
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  env::World view() { return {clock_, loop_, files_, network_, processes_, random_}; }
  // For what only a real process has: signals and foreign descriptors.
  EpollLoop& loop() { return loop_; }
  Clock& clock() { return clock_; }

 private:
  // The loop stands before all that registers with it, and so is destroyed after it.
  Clock clock_;
  Random random_;
  EpollLoop loop_{clock_};
  RealFiles files_{loop_, random_};
  UnixNetwork network_{loop_, random_};
  RealProcesses processes_{loop_};
};

}  // namespace teamster::env::real
