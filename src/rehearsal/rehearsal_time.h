// RehearsalTime: the time of a rehearsal. It passes as ever while something is under way. When everything that is
// open only waits for a time, it is that time at once, in the journal too: the wall clock of all its processes
// goes ahead. Owned by the driven run; on its loop.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "env/world.h"
#include "rehearsal/jumping_loop.h"

namespace teamster::cli {

struct RehearsalTimeOptions {
  std::string directory;  // of the rehearsal, see script/rehearsal_place.h
  std::function<void(Duration)> put_clock_ahead;
  // Agents that would have to be asleep for the run to wait; nullopt while it is busy otherwise.
  std::function<std::optional<std::vector<std::int64_t>>()> agents_at_work;
  // Nothing is under way, and no time will change that.
  std::function<void()> on_stuck;
};

class RehearsalTime {
 public:
  RehearsalTime(const env::World& world, RehearsalTimeOptions options);

  // Whose timers jump.
  env::World world() { return {loop_.clock(), loop_, below_.files, below_.network, below_.processes, below_.random}; }
  env::Loop& loop() { return loop_; }

 private:
  void look_later();
  void look();
  // How long nothing will happen; nullopt: something is under way. Duration::max(): for ever.
  std::optional<Duration> stillness() const;

  env::World below_;
  const RehearsalTimeOptions options_;
  JumpingLoop loop_;
  int quiet_looks_ = 0;
  env::Timer look_;
};

}  // namespace teamster::cli
