// Which driver the members of a role have in a run, and whether everything is there that they need: found and told
// before a run starts or writes anything. Looks at files and PATH, and changes nothing.
#pragma once

#include <string_view>

#include "agent/hosted_member.h"
#include "base/result.h"
#include "engine/run_setup.h"
#include "env/world.h"
#include "workflow/core/words.h"
#include "workflow/format/spec.h"

namespace teamster::engine {

// The driver with what it needs of the run: directory, command, script. Code::invalid: there is no such driver.
Result<agent::MemberOptions> driver_options(const RunSetup& setup, const workflow::Role& role);

// All that the role says about its members: that, model, effort, standing instructions and tools.
Result<agent::MemberOptions> member_options(const RunSetup& setup, const workflow::Pinned& pinned,
                                            const workflow::RunState& state, const workflow::Role& role);

struct DriverCheck {
  const workflow::Workflow& workflow;
  const RunSetup& setup;
  std::string entry = {};                       // only the roles within its reach
  std::string_view scripts_flag = "--scripts";  // how whoever asks names the directory of scripts
};
// The first role whose driver cannot be used, in words, or all scripts that are missing.
Result<void> check_drivers(const env::World& world, const DriverCheck& check);

}  // namespace teamster::engine
