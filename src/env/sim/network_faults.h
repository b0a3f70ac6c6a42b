// NetworkFaults: how unkind the simulated network is. Plain values; may be changed at
// any time and then apply to what happens next.
#pragma once

#include "base/time.h"

namespace teamster::env::sim {

struct NetworkFaults {
  double refuse_connect = 0;  // chance that a connect finds nobody
  double cut_connection = 0;  // chance, for each chunk sent, that the connection breaks soon
  double split_write = 0.3;   // chance that a chunk is cut short
  Duration delay_max = std::chrono::milliseconds(3);
  // Chance that some of what a process has sent before it was killed does not arrive.
  double lose_tail_of_killed = 0.5;
  std::size_t buffer_bytes = 64 * 1024;  // what the system takes from a writer before it must wait
};

}  // namespace teamster::env::sim
