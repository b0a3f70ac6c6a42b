#include <sys/stat.h>

#include <csignal>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/text/answer_fields.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/framework/exit_code.h"
#include "cli/commands/machine/hub_presence.h"
#include "hub/run_hub.h"

namespace teamster::cli::commands {
namespace {

// Never starts a hub only to look at it.
Result<int> show_status(Context& context, const hub::Home& home) {
  if (!hub_is_running(context.outside().world(), home))
    return fail(Code::not_found, fmt::format("no hub runs for {}", home.path()),
                "The next command that needs it starts one");
  const Json answer = TRY(context.read("hub.status", Json::object()));
  if (context.wants_json()) {
    context.print_json(answer);
    return kExitDone;
  }
  const Json& store = object_in(answer, "store");
  const Duration uptime = std::chrono::milliseconds(number_in(answer, "uptime_ms"));
  context.print(fmt::format("hub {} (version {}) for {}, up {}\n", number_in(answer, "pid"), text_in(answer, "version"),
                            text_in(answer, "home"), describe_duration(uptime)));
  context.print(fmt::format("  {}, {} parked, {}, {}, {} KiB of memory\n",
                            counted(number_in(answer, "connections"), "connection"), number_in(answer, "parked"),
                            counted(number_in(answer, "requests"), "request"),
                            counted(number_in(answer, "commits"), "commit"), number_in(answer, "rss_bytes") / 1024));
  context.print(fmt::format("  store: format {}, {} events, {} KiB\n", number_in(store, "format"),
                            number_in(store, "events"), number_in(store, "bytes") / 1024));
  return kExitDone;
}

Result<int> stop(Context& context, const hub::Home& home) {
  const env::World world = context.outside().world();
  if (!hub_is_running(world, home)) {
    if (context.wants_json()) context.print_json({{"stopping", false}});
    context.note(fmt::format("no hub runs for {}\n", home.path()));
    return kExitDone;
  }
  const Json status = TRY(context.read("hub.status", Json::object()));
  const auto process = world.processes.identify(number_in(status, "pid"));
  const Json answer = TRY(context.read("hub.stop", Json::object()));
  const bool has_gone = !process || wait_for_exit(world, *process);
  if (context.wants_json())
    context.print_json(answer);
  else
    context.print(has_gone ? "the hub has stopped\n" : "the hub is stopping\n");
  return kExitDone;
}

Result<int> serve(const Context& context, const hub::Home& home) {
  ::umask(077);  // whatever the user's is: what a hub writes is nobody else's business
  hub::ServerOptions options;
  if (const auto idle = context.outside().variable("TEAMSTER_HUB_IDLE_EXIT")) {
    auto span = parse_duration(*idle);
    if (!span) return fail(span.error().within("TEAMSTER_HUB_IDLE_EXIT"));
    options.idle_exit = *span;
  }
  std::vector<env::Registration> signals;
  TRY_VOID(hub::run_hub(context.outside().world(), home, options, [&](const std::function<void()>& stop) {
    for (const int number : {SIGTERM, SIGINT, SIGHUP}) signals.push_back(context.outside().watch_signal(number, stop));
  }));
  return kExitDone;
}

Result<int> run_hub(Context& context, const Arguments& arguments) {
  if (arguments.has("stop") && arguments.has("status"))
    return fail(Code::invalid, "--stop and --status exclude each other");
  const hub::Home home = TRY(context.home());
  if (arguments.has("stop")) return stop(context, home);
  if (arguments.has("status")) return show_status(context, home);
  return serve(context, home);
}

}  // namespace

Command hub() {
  return {
      .path = "hub",
      .topic = "Machine",
      .summary = "Serve the store of this home, in this process",
      .description =
          "There is no need to call it: the first command that needs the hub starts one, and it leaves when "
          "nobody has used it for a while. It may be killed at any time; nothing acknowledged is lost.",
      .hub = HubUse::reads,
      .flags = {{.name = "stop", .help = "Ask the running hub to finish what it does and go"},
                {.name = "status", .help = "Show the running hub"}},
      .examples = {{"teamster hub --status", "Does one run?"}, {"teamster hub --stop", "Before an update"}},
      .run = run_hub,
  };
}

}  // namespace teamster::cli::commands
