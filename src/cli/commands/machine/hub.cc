#include <sys/stat.h>

#include <csignal>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands/machine/hub_presence.h"
#include "cli/framework/arguments.h"
#include "cli/framework/commands.h"
#include "cli/framework/context.h"
#include "cli/framework/exit_code.h"
#include "cli/text/answer_fields.h"
#include "cli/text/printable.h"
#include "hub/run_hub.h"
#include "protocol/client/hub_calls.h"

namespace teamster::cli::commands {
namespace {

// Never starts a hub only to look at it.
Result<int> show_status(Context& context, const hub::Home& home) {
  if (!hub_is_running(context.outside().world(), home))
    return fail(Code::not_found, fmt::format("no hub runs for {}", home.path()),
                "The next command that needs it starts one");
  if (context.wants_json()) return context.print_answer(hub::GetHubStatus{});
  const hub::HubStatus status = TRY(context.ask(hub::GetHubStatus{}));
  constexpr std::int64_t kKibibyte = 1024;
  context.print(fmt::format("hub {} (version {}) for {}, up {}\n", status.pid, printable_line(status.version),
                            printable_line(status.home), describe_duration(status.uptime)));
  context.print(fmt::format("  {}, {} parked, {}, {}, {} KiB of memory\n", counted(status.connections, "connection"),
                            status.parked, counted(status.requests, "request"), counted(status.commits, "commit"),
                            status.rss_bytes / kKibibyte));
  context.print(fmt::format("  store: format {}, {} events, {} KiB\n", status.store_format, status.store_events,
                            status.store_bytes / kKibibyte));
  return kExitDone;
}

Result<int> stop(Context& context, const hub::Home& home) {
  const env::World world = context.outside().world();
  if (!hub_is_running(world, home)) {
    if (context.wants_json()) context.print_json({{"stopping", false}});
    context.note(fmt::format("no hub runs for {}\n", home.path()));
    return kExitDone;
  }
  const hub::HubStatus status = TRY(context.ask(hub::GetHubStatus{}));
  const auto process = world.processes.identify(status.pid);
  const Json answer = TRY(context.ask_for_document(hub::StopHub{}));
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
