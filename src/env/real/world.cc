#include "env/real/world.h"

#include <csignal>

namespace teamster::env::real {

World::World(const std::string& clock_file) : clock_(clock_file) {
  // A peer that goes away is on_end of its stream, not the end of this process.
  ::signal(SIGPIPE, SIG_IGN);
  // Whoever started us may have ignored it; the kernel would then reap our children
  // itself and their exit status would be lost.
  ::signal(SIGCHLD, SIG_DFL);
}

}  // namespace teamster::env::real
