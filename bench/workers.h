// Workers: N forked processes that do the same operation over and over, from one start
// signal on, until the time is up. What they measured comes back through shared memory.
// A worker that dies or fails makes the whole run an error. Each cell has its own workers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace teamster::bench {

// Does one thing and returns its number (a message's, a task's); nullopt: nothing left to do.
using Operation = std::function<Result<std::optional<std::int64_t>>()>;
// Runs in the worker process before the start signal: connects, opens, warms up.
using Prepare = std::function<Result<Operation>(int worker)>;

struct Span {
  Duration time;
  std::uint64_t operations_per_worker = UINT64_MAX;
};

struct Measured {
  // Of each worker up to its own last answer, summed: one that waits for a lock long after the
  // others have stopped does not make them slower than they were.
  double per_second = 0;
  std::vector<std::vector<std::int64_t>> numbers;  // by worker, in the order they were got
  std::vector<double> latencies_us;                // of all workers, sorted

  std::uint64_t operations() const { return latencies_us.size(); }
  double latency_us(double quantile) const;
};

Result<Measured> run_workers(int count, const Prepare& prepare, const Span& span);

// CLOCK_MONOTONIC, the same in every process of the machine.
std::int64_t monotonic_ns();

// Of values in any order; 0 when there are none.
double quantile_of(std::vector<double> values, double quantile);

}  // namespace teamster::bench
