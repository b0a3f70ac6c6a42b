#include "protocol/client/launcher.h"

#include <fmt/format.h>

#include "base/limits.h"
#include "env/clock.h"
#include "env/files.h"
#include "env/processes.h"
#include "env/random.h"
#include "protocol/client/access.h"
#include "protocol/client/home_owner.h"

namespace teamster::hub {

using namespace std::chrono_literals;

Result<void> Launcher::ensure_started() {
  const Instant now = world_.clock.now();
  if (pid_) {
    const bool coming_up = world_.processes.identify(*pid_).has_value() && now - started_ < limits::kHubStartDeadline;
    if (coming_up) return {};
    // It may have lost the lock to another hub that is about to serve, so one failure means nothing.
    // A home that cannot be written is the usual reason, and can be told at once.
    TRY_VOID(probe_home());
    constexpr int kFruitlessMax = 5;
    if (++fruitless_ >= kFruitlessMax && now - first_try_ > 3s) {
      // Who asks again later gets a new beginning: what ended the hubs may be mended by then.
      forget();
      return fail(Code::unavailable, fmt::format("the hub of {} ends before it serves", home_.path()),
                  fmt::format("Run `TEAMSTER_HOME={} teamster hub` to see why, or look into {}", home_.path(),
                              home_.log_file()));
    }
  } else {
    TRY_VOID(check_may_serve(world_, home_));
    first_try_ = now;
  }
  env::Spawn spawn;
  spawn.program = world_.processes.own_executable();
  spawn.arguments = {spawn.program, "hub"};
  spawn.environment = {"TEAMSTER_HOME=" + home_.path()};
  for (const char* name : {"PATH", "HOME", "LANG", "TEAMSTER_HUB_IDLE_EXIT"})
    if (const auto value = world_.processes.variable(name))
      spawn.environment.push_back(fmt::format("{}={}", name, *value));
  spawn.directory = "/";
  pid_ = TRY(world_.processes.spawn_detached(spawn));
  started_ = now;
  return {};
}

Result<void> Launcher::probe_home() {
  if (auto kept = kept_by_another(world_.files, home_)) return fail(*std::move(kept));
  const std::string file = fmt::format("{}/.probe-{}", home_.path(), world_.random.hex(4));
  auto written = world_.files.write_atomically(file, "", 0600);
  (void)world_.files.remove_tree(file);
  if (!written) return fail(written.error().within("the hub cannot start"));
  return {};
}

void Launcher::forget() {
  pid_.reset();
  fruitless_ = 0;
}

}  // namespace teamster::hub
