// Whether a hub runs, without starting one as a client would. For commands that look at
// the hub itself, and for those that stop it.
#pragma once

#include "env/processes.h"
#include "env/world.h"
#include "protocol/client/home.h"

namespace teamster::cli {

bool hub_is_running(const env::World& world, const hub::Home& home);

// Runs the loop until that process has gone, and its lock on the home with it; false when
// it still lives after a while.
bool wait_for_exit(const env::World& world, const env::ProcessIdentity& process);

}  // namespace teamster::cli
