// run_hub: the body of the process `teamster hub`. Serves one home until the server has
// finished; writes its log to hub.log there, which is kept small.
#pragma once

#include <functional>

#include "base/result.h"
#include "env/world.h"
#include "hub/server.h"
#include "protocol/client/home.h"

namespace teamster::hub {

// `on_started` gets a function that stops the hub in good order: the caller binds it to
// signals. Code::refused when another hub serves the home.
Result<void> run_hub(const env::World& world, const Home& home, const ServerOptions& options,
                     const std::function<void(std::function<void()> stop)>& on_started);

}  // namespace teamster::hub
