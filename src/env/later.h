// Later: what one owner wants called from the loop, soon and in the order in which it was given, because it must not
// happen inside what happens now. A member of its owner: nothing is called after it is gone, and one of the callbacks
// may destroy it. Driven by the loop.
#pragma once

#include <utility>

#include "env/bond.h"
#include "env/loop.h"

namespace teamster::env {

class Later {
 public:
  explicit Later(Loop& loop) : loop_(loop) {}

  // After all input that is ready now (Loop::post).
  void call(Callback callback) { loop_.post(bond_.tie(std::move(callback))); }

 private:
  Loop& loop_;
  Bond bond_;
};

}  // namespace teamster::env
