#include "rehearsal/jumping_loop.h"

#include <algorithm>

namespace teamster::cli {

env::Timer JumpingLoop::after(Duration delay, env::Callback callback) {
  const Instant now = clock_.now();
  const Duration longest = Instant::max() - now;
  const TimerKey key{now + std::clamp(delay, Duration::zero(), longest), ++last_timer_};
  timers_.emplace(key, std::move(callback));
  if (timers_.begin()->first == key) arm();
  return env::Timer([this, key] { timers_.erase(key); });
}

std::optional<Duration> JumpingLoop::until_next() const {
  if (timers_.empty()) return std::nullopt;
  return std::max(timers_.begin()->first.first - clock_.now(), Duration::zero());
}

void JumpingLoop::jump(Duration span) {
  jumped_ += span;
  arm();
}

// One that was taken back meanwhile only makes us look too early.
void JumpingLoop::arm() {
  const auto left = until_next();
  first_ = left ? below_.after(*left, [this] { handle_due(); }) : env::Timer();
}

void JumpingLoop::handle_due() {
  const Instant now = clock_.now();
  const std::uint64_t last_of_this_turn = last_timer_;
  while (!timers_.empty()) {
    const auto first = timers_.begin();
    if (first->first.first > now || first->first.second > last_of_this_turn) break;
    auto node = timers_.extract(first);
    node.mapped()();
  }
  arm();
}

}  // namespace teamster::cli
