// FileSync: makes what was written to one file durable, without making its user wait.
// Got from Files; driven by the loop of its world; one sync at a time. Destroying it
// waits for a running one and drops its callback.
#pragma once

#include <functional>

#include "base/result.h"

namespace teamster::env {

class FileSync {
 public:
  virtual ~FileSync() = default;
  // Covers everything written before this call. `done` comes from the loop.
  virtual void start(std::function<void(Result<void>)> done) = 0;
  // The same, blocking: shorter when there is nothing else to do.
  virtual Result<void> now() = 0;
};

}  // namespace teamster::env
