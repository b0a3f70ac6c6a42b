// EngineStage: a simulated machine with hub, project and a run of implement-spec, and what is left of it in the
// end. Owned by the test, which starts engines on it and kills them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "env/sim/sim_world.h"
#include "support/simulated_hubs.h"
#include "simulation/engine_process.h"
#include "simulation/engine_witness.h"

namespace teamster::simulation {

// From this source tree.
workflow::Pinned implement_spec();

class EngineStage {
 public:
  EngineStage(std::uint64_t seed, const workflow::Pinned& pinned);

  env::sim::World& world() { return world_; }
  hub::SimulatedHubs& hubs() { return hubs_; }
  EngineWitness& witness() { return witness_; }
  Deeds& deeds() { return deeds_; }
  PlayedEffectsOptions::Chances& chances() { return chances_; }

  using OnPoint = std::function<void(EngineProcess&, const engine::Point&)>;
  std::unique_ptr<EngineProcess> start_engine(OnPoint on_point = [](EngineProcess&, const engine::Point&) {});
  // A call of the operator, in a process of its own.
  Result<Json> ask(const std::string& op, Json args);
  std::vector<Json> journal();
  // What the records of a run that has ended give: an engine may die after it has written the last.
  std::optional<workflow::RunState> ended_state();
  // Manifest and artifacts, by name.
  std::map<std::string, std::string> ledger();
  // What the witness found, and what the hub finds in its store.
  void check(const workflow::RunState& state);

 private:
  const workflow::Pinned& pinned_;
  env::sim::World world_;
  hub::SimulatedHubs hubs_;
  EngineWitness witness_;
  Deeds deeds_;
  PlayedEffectsOptions::Chances chances_;
};

// TEAMSTER_SEED and TEAMSTER_SEEDS.
std::uint64_t from_environment(const char* name, std::uint64_t otherwise);

}  // namespace teamster::simulation
