// The machine's clocks: CLOCK_MONOTONIC for Instant, the system clock for WallTime. In a rehearsal the wall
// clock of all its processes is ahead of the system's, by a number that they share in a file; or it stands, and only
// that number moves it.
// May be called from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
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
  struct Shared {
    std::atomic<std::int64_t> ahead_ms;
    std::atomic<std::int64_t> stands_at_ms;  // 0: it goes
  };
  friend std::string new_shared_clock(std::optional<WallTime> stands_at);

  Shared* shared_ = nullptr;
};

// What the file of a clock holds at first. One that stands makes the same times each time.
std::string new_shared_clock(std::optional<WallTime> stands_at = std::nullopt);

}  // namespace teamster::env::real
