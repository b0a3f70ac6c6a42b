// EngineProcess: one process of the simulated machine that drives a run: client, effects and Run.
// It takes the run up, or starts it when there is none. Owned by the test, which may kill it at
// any moment; what it was told by the hub goes to the EngineWitness.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/run.h"
#include "env/sim/sim_world.h"
#include "protocol/client/client.h"
#include "protocol/client/home.h"
#include "simulation/engine_witness.h"
#include "simulation/played_effects.h"

namespace teamster::simulation {

class EngineProcess {
 public:
  struct Options {
    hub::Home home;
    const workflow::Pinned& pinned;
    std::string project;
    const PlayedEffectsOptions::Chances& chances;
    std::function<void(EngineProcess&, const engine::Point&)> on_point = [](EngineProcess&, const engine::Point&) {};
  };

  EngineProcess(env::sim::World& world, Options options, Deeds& deeds, EngineWitness& witness);

  // Safe from inside of what it does: nothing that it does from now on has any effect.
  void kill();
  bool is_alive() const { return host_.is_alive(); }
  // It has nothing more to do, well or not; nothing while it drives, or is dead.
  const std::optional<Result<void>>& outcome() const { return outcome_; }
  bool has_finished() const { return outcome_ && *outcome_ && run_->state().has_ended(); }
  const workflow::RunState& state() const { return run_->state(); }
  int number() const { return number_; }

 private:
  void make_run();
  void resume();
  void resumed(const Result<void>& outcome);
  void start();

  env::sim::World& world_;
  const Options options_;
  Deeds& deeds_;
  EngineWitness& witness_;
  const int number_;
  env::sim::Host& host_;
  hub::Client client_;
  std::unique_ptr<PlayedEffects> effects_;
  std::unique_ptr<engine::Run> run_;
  std::optional<Result<void>> outcome_;
  std::function<void(const Result<void>&)> over_;
};

}  // namespace teamster::simulation
