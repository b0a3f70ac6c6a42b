// Loop: the one thread that owns a process's state. Everything registered with it is
// called on that thread, never concurrently and never from inside the registering call.
#pragma once

#include <functional>

#include "base/time.h"
#include "env/registration.h"

namespace teamster::env {

using Callback = std::function<void()>;
using Timer = Registration;

class Loop {
 public:
  virtual ~Loop() = default;

  // Calls back once, not before `delay` has passed.
  [[nodiscard]] virtual Timer after(Duration delay, Callback callback) = 0;

  // Calls back once, after all input that is ready now has been handled. This is what
  // turns the requests of many clients into one commit.
  virtual void post(Callback callback) = 0;

  // Something that is worth waiting for awake will happen within a fraction of a millisecond,
  // such as the answer of another process. Being woken up costs more than that.
  virtual void stay_awake(Duration time) { (void)time; }

  // Handles events until stop() is called. `run_until` returns early, with false, when
  // nothing can ever happen again (no timer, no watch, nothing posted).
  virtual void run() = 0;
  virtual bool run_until(const std::function<bool()>& done) = 0;
  virtual void stop() = 0;
};

}  // namespace teamster::env
