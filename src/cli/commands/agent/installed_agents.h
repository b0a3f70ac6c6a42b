// Which agents are on this machine: asks each driver's program for its version. Used by
// `agent drivers` and `doctor`.
#pragma once

#include <vector>

#include "agent/driver.h"
#include "env/world.h"

namespace teamster::cli {

struct InstalledDriver {
  const agent::Driver* driver = nullptr;
  agent::Installed found;
};

std::vector<InstalledDriver> find_installed(const env::World& world);

}  // namespace teamster::cli
