// The machine's clocks: CLOCK_MONOTONIC for Instant, the system clock for WallTime. In a rehearsal the wall
// clock of all its processes is ahead of the system's, by a number that they share in a file; or it stands, and only
// that number moves it.
// May be called from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "env/clock.h"

namespace teamster::env::real {

class Clock : public env::Clock {
 public:
  Clock() = default;
  // Of a file that is not there, or is none of ours, nothing is taken: then it is the system's time.
  explicit Clock(const std::string& shared_file);
  ~Clock() override;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;

  Instant now() const override;
  WallTime wall_now() const override;

  // The wall clock of every process with the same file. Nothing without a file.
  void put_ahead(Duration span);

 private:
  // The file, mapped: see env/shared_clock.h.
  struct Shared {
    std::atomic<std::int64_t> ahead_ms;
    std::atomic<std::int64_t> stands_at_ms;  // 0: it goes
  };

  Shared* shared_ = nullptr;
};

}  // namespace teamster::env::real
