// EngineProcess: one process of the simulated machine that drives a run, with all that the real one has: client,
// preparation, LiveRun with its effects and crew. It takes the run up, or starts it when there is none. Owned by the
// test, which may kill it at any moment; what it was told by the hub goes to the EngineWitness.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/live_run.h"
#include "engine/run_preparation.h"
#include "env/sim/sim_world.h"
#include "protocol/client/client.h"
#include "protocol/client/home.h"
#include "protocol/client/run_calls.h"
#include "simulation/engine_witness.h"
#include "support/simulated_git.h"

namespace teamster::simulation {

class EngineProcess {
 public:
  struct Options {
    hub::Home home;
    std::string run;
    std::string workflow;
    std::vector<std::string> words;  // of the command line
    std::function<void(EngineProcess&, const engine::Point&)> on_point = [](EngineProcess&, const engine::Point&) {};
    std::function<void(const workflow::RunCommand&, bool again)> on_question = [](const workflow::RunCommand&, bool) {};
  };

  EngineProcess(env::sim::World& world, Options options, SimulatedGits& gits, EngineWitness& witness);
  ~EngineProcess();
  EngineProcess(const EngineProcess&) = delete;
  EngineProcess& operator=(const EngineProcess&) = delete;

  // Safe from inside of what it does: nothing that it does from now on has any effect.
  void kill();
  bool is_alive() const { return host_.is_alive(); }
  // It has nothing more to do, well or not; nothing while it drives, or is dead.
  const std::optional<Result<void>>& outcome() const { return outcome_; }
  bool has_finished() const { return outcome_ && *outcome_ && live_ && live_->state().has_ended(); }
  const workflow::RunState& state() const { return live_->state(); }
  env::sim::Host& host() { return host_; }
  int number() const { return number_; }

 private:
  engine::LiveRunParts make_parts(SimulatedGits& gits);
  // Printed with TEAMSTER_STORY=1, to understand a seed that fails.
  void tell(const std::string& what) const;
  void look();
  void prepare();
  void prepared(Result<engine::PreparedRun> outcome);
  void take_up(const hub::GetRun::Answer& found);
  auto on_over() {
    return [this](const Result<void>& outcome) { outcome_ = outcome; };
  }

  env::sim::World& world_;
  const Options options_;
  EngineWitness& witness_;
  const int number_;
  env::sim::Host& host_;
  hub::Client client_;
  const engine::LiveRunParts parts_;
  std::unique_ptr<engine::RunPreparation> preparation_;
  std::unique_ptr<engine::LiveRun> live_;
  std::optional<Result<void>> outcome_;
};

}  // namespace teamster::simulation
