#include "cli/framework/runs.h"

#include <nlohmann/json.hpp>

#include "cli/framework/exit_code.h"
#include "keeper/kept_processes.h"
#include "keeper/process_tree.h"
#include "protocol/client/run_calls.h"

namespace teamster::cli {

engine::HubCall hub_call_of(const Context& context) {
  // What is told to a run is a write: the user's key belongs to it.
  return [&context](hub::Request request) {
    if (request.op == hub::TellRun::kOperation) return context.write(std::move(request));
    return context.read(std::move(request));
  };
}

Result<engine::RunService> runs_of(const Context& context) {
  const hub::Home home = TRY(context.home());
  return engine::RunService(
      hub_call_of(context), [&context] { return context.now(); }, context.outside().world().files, home);
}

engine::LiveRunParts live_parts(const Context& context, const env::World& world, const env::World& stage,
                                hub::Client& hub, const hub::Home& home) {
  engine::LiveRunParts parts{
      .world = world, .stage = stage, .hub = hub, .home = home, .variable = context.outside().variable};
  parts.git_is_at_work = [](const std::string& directory) { return !keeper::programs_at("git", directory).empty(); };
  // Where no keepers are used nothing of them is left.
  if (context.outside().kept_world) parts.end_leftovers = [&world] { keeper::end_leftovers(world.processes); };
  return parts;
}

int exit_code_of(const engine::RunView& view) {
  if (view.has_ended()) return exit_code_of(view.status());
  return view.needs_a_person() ? kExitWaiting : kExitDone;
}

int exit_code_of(const std::string& status) { return status == workflow::status::kDone ? kExitDone : kExitNothing; }

}  // namespace teamster::cli
