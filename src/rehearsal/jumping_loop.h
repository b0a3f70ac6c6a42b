// JumpingLoop: another loop, with timers that can be made to come nearer: for rehearsals, in which nobody has to
// wait. Everything else is the loop's below, and so is real time while nobody jumps. Its clock is the one that its
// timers follow; wall time is the one below. Owned by the rehearsal; timers must be gone before it is.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "env/clock.h"
#include "env/loop.h"

namespace teamster::cli {

class JumpingLoop : public env::Loop {
 public:
  JumpingLoop(env::Loop& below, const env::Clock& clock) : below_(below), clock_(clock, jumped_) {}
  JumpingLoop(const JumpingLoop&) = delete;
  JumpingLoop& operator=(const JumpingLoop&) = delete;

  env::Timer after(Duration delay, env::Callback callback) override;
  void post(env::Callback callback) override { below_.post(std::move(callback)); }
  void stay_awake(Duration time) override { below_.stay_awake(time); }
  void run() override { below_.run(); }
  bool run_until(const std::function<bool()>& done) override { return below_.run_until(done); }
  void stop() override { below_.stop(); }

  // Until the first timer is due; nullopt: there is none.
  std::optional<Duration> until_next() const;
  void jump(Duration span);

  env::Clock& clock() { return clock_; }

 private:
  class JumpingClock : public env::Clock {
   public:
    JumpingClock(const env::Clock& below, const Duration& jumped) : below_(below), jumped_(jumped) {}
    Instant now() const override { return below_.now() + jumped_; }
    WallTime wall_now() const override { return below_.wall_now(); }

   private:
    const env::Clock& below_;
    const Duration& jumped_;
  };
  using TimerKey = std::pair<Instant, std::uint64_t>;

  void arm();
  void handle_due();

  env::Loop& below_;
  Duration jumped_{};
  JumpingClock clock_;
  std::map<TimerKey, env::Callback> timers_;
  std::uint64_t last_timer_ = 0;
  env::Timer first_;  // of the loop below, for the first of ours
};

}  // namespace teamster::cli
