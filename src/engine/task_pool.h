// TaskPool: the tasks of a pool phase: made once in the team's list, whatever crashes meanwhile, and
// counted when a turn has ended, so that the core knows whether any is left. Owned by RunEffects; on
// its loop. Calls back from the loop, never after it is gone.
#pragma once

#include <functional>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "engine/effects.h"
#include "protocol/client/calls.h"
#include "workflow/core/run_record.h"

namespace teamster::engine {

class TaskPool {
 public:
  using Settle = Effects::Settle;

  TaskPool(hub::Client& hub, std::string run) : hub_(hub), run_(std::move(run)) {}

  // The tasks of a make_tasks. Each has a key of its own, so a second try makes none twice.
  void make(const workflow::RunCommand& command, Settle settle);
  // Adds to a turn that is done the tasks of its team, and how many are left for its member.
  void finish_turn(const workflow::RunCommand& turn, workflow::event::Done done, const Settle& settle);

 private:
  void make_next(const workflow::RunCommand& command, const Json& ids, const Settle& settle);
  void list_next(Json args, const Json& tasks, const std::function<void(Result<Json>)>& then);

  hub::Calls hub_;
  const std::string run_;
};

// What the core reads of them: {id, subject, status, owner, metadata} each.
Json pool_tasks(const Json& tasks);
// Those for which this member has to be asked again: its own that are not done, and those that are free.
// What others work on, or what waits for that, is found by them when their turns end; were it counted
// here, a member that is done would be asked over and over until they are.
std::int64_t tasks_left(const Json& tasks, const std::string& member);

}  // namespace teamster::engine
