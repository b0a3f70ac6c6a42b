#include "hub/run_hub.h"

#include "base/limits.h"
#include "base/log.h"
#include "env/clock.h"
#include "env/files.h"
#include "env/loop.h"

namespace teamster::hub {
namespace {

void append_to_log(env::Files& files, const Home& home, std::string_view line) {
  const auto status = files.status(home.log_file());
  if (status && *status && (*status)->bytes > limits::kHubLogMaxBytes)
    (void)files.rename(home.log_file(), home.log_file() + ".1");
  (void)files.append(home.log_file(), line, 0600);  // a log that cannot be written must not stop the hub
}

}  // namespace

Result<void> run_hub(const env::World& world, const Home& home, const ServerOptions& options,
                     const std::function<void(std::function<void()> stop)>& on_started) {
  Log log([&](std::string_view line) { append_to_log(world.files, home, line); },
          [&] { return world.clock.wall_now(); }, LogLevel::info);
  bool finished = false;
  auto server = TRY(Server::start(world, home, options, log, [&] {
    finished = true;
    world.loop.stop();
  }));
  on_started([&server] { server->stop("signal"); });
  while (!finished) world.loop.run();
  server.reset();
  log.info("hub.ended", {});
  return {};
}

}  // namespace teamster::hub
