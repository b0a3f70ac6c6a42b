// FileSync: makes what others wrote to one file durable. Got from Files; driven by the loop
// of its world; one sync at a time. Destroying it drops the callback of a running one.
#pragma once

#include <functional>

#include "base/result.h"

namespace teamster::env {

class FileSync {
 public:
  virtual ~FileSync() = default;
  // Covers everything written before this call. `done` comes once: inside this call, or
  // later from the loop.
  virtual void start(std::function<void(Result<void>)> done) = 0;
};

}  // namespace teamster::env
