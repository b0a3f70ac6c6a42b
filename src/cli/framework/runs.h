// How commands reach runs: the service that reads and answers them, and the parts with which this process drives one.
// The only place that wires both to the real world.
#pragma once

#include "base/result.h"
#include "cli/framework/context.h"
#include "engine/run_service.h"

namespace teamster::cli {

// Asks the hub as the user of this command. The context outlives it.
engine::HubCall hub_call_of(const Context& context);
// The context outlives it.
Result<engine::RunService> runs_of(const Context& context);

// Agents and programs of the run belong to a keeper.
// `stage` is the same world, or that of a rehearsal, whose timers jump.
engine::LiveRunParts live_parts(const Context& context, const env::World& world, const env::World& stage,
                                hub::Client& hub, const hub::Home& home);

// 0 done or on its way, 1 ended otherwise, 4 waits for a person.
int exit_code_of(const engine::RunView& view);
// 0 done, 1 anything else that ended it.
int exit_code_of(const std::string& status);

}  // namespace teamster::cli
