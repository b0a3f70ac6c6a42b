// Plan: what one run measures: which cells, how long, how often. The normal plan takes
// some minutes; the quick one is a smoke test of the benchmark itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"

namespace teamster::bench {

struct Plan {
  static Plan normal();
  static Plan quick();

  int rounds;
  Duration cell_time;
  std::vector<int> senders;
  std::vector<std::uint64_t> inboxes;
  std::vector<int> claimers;
  std::uint64_t tasks;    // more than all claimers of a cell can claim
  std::uint64_t wakeups;  // per round
  int commands;           // per round
  std::uint64_t turns;    // per round
  int spawns;             // per round
  std::vector<int> runs;  // at once
  std::int64_t records;   // of a long run
  int many_runs;          // in one process, for its memory
  int checks;             // of one manifest
  int teams;              // that nobody runs any more
};

}  // namespace teamster::bench
