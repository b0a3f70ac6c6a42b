#include "cli/commands/machine/hub_presence.h"

#include "base/limits.h"
#include "env/clock.h"
#include "env/loop.h"
#include "env/network.h"

namespace teamster::cli {
namespace {

// It is not our child, so nobody tells us.
constexpr Duration kLookForHubAfter = std::chrono::milliseconds(5);

}  // namespace

bool hub_is_running(const env::World& world, const hub::Home& home) {
  return world.network.connect(home.socket()).has_value();
}

bool wait_for_exit(const env::World& world, const env::ProcessIdentity& process) {
  const Instant deadline = world.clock.now() + limits::kHubStartDeadline;
  while (world.processes.is_alive(process)) {
    if (world.clock.now() >= deadline) return false;
    bool is_time = false;
    const auto timer = world.loop.after(kLookForHubAfter, [&] { is_time = true; });
    world.loop.run_until([&] { return is_time; });
  }
  return true;
}

}  // namespace teamster::cli
