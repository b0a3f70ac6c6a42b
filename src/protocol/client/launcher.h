// Launcher: starts the hub of a home as a detached process, when nobody serves it. Only
// for holders of the cookie. Several clients may start one at once: one gets the lock.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "env/world.h"
#include "protocol/client/home.h"

namespace teamster::hub {

class Launcher {
 public:
  Launcher(const env::World& world, Home home) : world_(world), home_(std::move(home)) {}

  // Starts a hub unless the one started last is still coming up. Fails when hubs keep
  // ending before they serve; after that it begins anew.
  Result<void> ensure_started();
  // The hub answered: earlier failures do not count any more.
  void succeeded() { forget(); }

 private:
  void forget();
  Result<void> probe_home();

  env::World world_;
  Home home_;
  std::optional<std::int64_t> pid_;
  Instant started_;
  int fruitless_ = 0;
  Instant first_try_;
};

}  // namespace teamster::hub
