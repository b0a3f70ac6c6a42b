// Effects: what a run does to the world, behind one interface: real (run_effects.h) or played in
// the simulator. Whoever implements it performs each effect and tells the run how it ended.
// Driven by the run, on its loop.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "workflow/core/run_record.h"
#include "workflow/core/run_state.h"

namespace teamster::engine {

struct Effect {
  workflow::RunCommand command;
  WallTime since;  // when it was decided
  // An engine that has died may have begun it, or done it: look first.
  bool again = false;
};

class Effects {
 public:
  // The event that settles an effect; from the loop, never inside begin.
  using Settle = std::function<void(workflow::RunEvent)>;

  virtual ~Effects() = default;
  // Where it tells of events that settle no effect. Before the first begin.
  virtual void on_news(Settle news) { (void)news; }
  virtual void begin(const Effect& effect, const workflow::RunState& state, Settle settle) = 0;
  // The run has given it up; nothing is to be told of it any more.
  virtual void drop(const std::string& id) = 0;
  // Whether there is still something to work on. An error stops the engine, not the run: what has come of an effect
  // meanwhile is not recorded, and whoever takes the run up later does it again.
  virtual Result<void> can_go_on(const workflow::RunState& state) {
    (void)state;
    return {};
  }
  // This process has the run now, and another had it before: what that one left half done can be removed.
  virtual Result<void> taken_over(const workflow::RunState& state) {
    (void)state;
    return {};
  }
  // The journal has it.
  virtual void recorded(const workflow::RunEvent& event) { (void)event; }
  // The state is on disk: files that follow it can be written. An error stops the engine, not the run.
  virtual Result<void> follow(const workflow::RunState& state) = 0;
};

}  // namespace teamster::engine
