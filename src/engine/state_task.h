// StateTask: the permanent task that carries a workflow's `state` in its metadata. It is in the list of the run's team
// and every member can read it; it is reserved, so nobody claims it. Follows the run: made with the team, brought up to
// date with every record, completed when the run is done. After a crash the next record brings it up to date again.
// Owned by RunEffects; on its loop.
#pragma once

#include <optional>
#include <string>

#include "base/ids.h"
#include "base/json.h"
#include "protocol/client/calls.h"
#include "workflow/core/run_state.h"
#include "workflow/core/words.h"

namespace teamster::engine {

class StateTask {
 public:
  StateTask(hub::Client& hub, const workflow::Pinned& pinned) : calls_(hub), pinned_(pinned) {}

  void follow(const workflow::RunState& state);

 private:
  struct Carried {
    std::string team;
    std::string subject;
    Json fields;
    bool is_done = false;
    bool operator==(const Carried&) const = default;
  };

  void go_on();
  void claim(const Carried& carried);
  void update(const Carried& carried);
  void over(bool is_good, const Carried& carried);

  hub::Calls calls_;
  const workflow::Pinned& pinned_;
  std::optional<Carried> wanted_;
  std::optional<Carried> written_;
  std::string team_of_task_;
  TaskId task_;
  bool is_busy_ = false;
};

}  // namespace teamster::engine
