// Later: what one owner wants called from the loop, soon and in the order in which it was given, because it must not
// happen inside what happens now. A member of its owner: nothing is called after it is gone, and one of the callbacks
// may destroy it. Driven by the loop.
#pragma once

#include <deque>
#include <utility>

#include "env/loop.h"

namespace teamster::env {

class Later {
 public:
  explicit Later(Loop& loop) : loop_(loop) {}
  Later(const Later&) = delete;
  Later& operator=(const Later&) = delete;

  void call(Callback callback) {
    waiting_.push_back(std::move(callback));
    if (waiting_.size() == 1) arm();
  }

 private:
  void arm() {
    timer_ = loop_.after(Duration::zero(), [this] { call_first(); });
  }
  // One at a time: each may be the last that this object sees.
  void call_first() {
    const Callback first = std::move(waiting_.front());
    waiting_.pop_front();
    if (!waiting_.empty()) arm();
    first();
  }

  Loop& loop_;
  std::deque<Callback> waiting_;
  Timer timer_;
};

}  // namespace teamster::env
