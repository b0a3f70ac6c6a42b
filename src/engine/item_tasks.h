// ItemTasks: the items of a phase as tasks in the team's list, so that the list is true while the phase goes on: made
// once whatever crashes meanwhile, claimed in the name of the member that works on one, and ended with it. They are
// reserved: no member takes one by itself. Owned by RunEffects; on its loop. Calls back from the loop, never after it
// is gone.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/effects.h"
#include "protocol/client/calls.h"
#include "workflow/core/run_state.h"

namespace teamster::engine {

class ItemTasks {
 public:
  using Settle = Effects::Settle;

  ItemTasks(hub::Client& hub, std::string run) : hub_(hub), run_(std::move(run)) {}

  // Of a make_tasks. Each task has a key of its own, so a second try makes none twice. The answer names them in the
  // order of the items; one that is over already has none.
  void make(const Effect& effect, const workflow::RunState& state, const Settle& settle);
  // Of a finish_task.
  void finish(const Effect& effect, const Settle& settle);
  // Before a turn: the task is the member's. What cannot be claimed does not hold up the work.
  void claim(const workflow::command::Turn& turn, const std::string& effect, const std::function<void()>& then);

 private:
  struct Making;
  void make_some(const std::shared_ptr<Making>& making);

  hub::Calls hub_;
  const std::string run_;
};

}  // namespace teamster::engine
