// EngineStage: a simulated machine with hub, agents and their tools, shell and git, a person who answers, a project,
// and the run of a scene in it; and what is left of it in the end. Owned by the test, which starts engines on it and
// kills them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "env/sim/sim_world.h"
#include "simulation/engine_process.h"
#include "simulation/engine_witness.h"
#include "simulation/scene.h"
#include "support/simulated_agents.h"
#include "support/simulated_git.h"
#include "support/simulated_hubs.h"
#include "support/simulated_shell.h"
#include "support/simulated_tools.h"

namespace teamster::simulation {

class EngineStage {
 public:
  EngineStage(std::uint64_t seed, const Scene& scene, const Troubles& troubles = {});

  env::sim::World& world() { return world_; }
  hub::SimulatedHubs& hubs() { return hubs_; }
  SimulatedAgents& agents() { return agents_; }
  EngineWitness& witness() { return witness_; }
  int troubles() const { return troubles_; }

  using OnPoint = std::function<void(EngineProcess&, const engine::Point&)>;
  std::unique_ptr<EngineProcess> start_engine(OnPoint on_point = [](EngineProcess&, const engine::Point&) {});
  // A call of the operator, in a process of its own.
  Result<Json> ask(const std::string& op, Json args);
  std::vector<Json> journal();
  // What the records of a run that has ended give: an engine may die after it has written the last.
  std::optional<workflow::RunState> ended_state();
  // Manifest and artifacts, by name.
  std::map<std::string, std::string> ledger();
  // A file of the project; empty where there is none.
  std::string text_of(const std::string& path);
  // How often each question was put to a person as a new one: not at all where the engine that decided it died before.
  const std::map<std::string, int>& asked() const { return asked_; }
  // Subjects of the commits with their tags, oldest first.
  std::vector<std::string> commits();
  // What the witness found, what the hub finds in its store, and what is left on the machine.
  void check(const workflow::RunState& state);

 private:
  void check_project(const workflow::RunState& state);
  void put_to_person(const workflow::RunCommand& question, bool again);

  const Scene& scene_;
  env::sim::World world_;
  hub::SimulatedHubs hubs_;
  SimulatedAgents agents_;
  SimulatedTools tools_;
  SimulatedShell shell_;
  SimulatedGits gits_;
  EngineWitness witness_;
  int troubles_ = 0;
  env::sim::Host& person_;
  std::unique_ptr<hub::Client> person_client_;
  std::map<std::string, int> asked_;
  std::map<std::string, bool> is_answered_;  // by question: what was said has arrived
  std::vector<env::Timer> thinking_;
};

// TEAMSTER_SEED and TEAMSTER_SEEDS.
std::uint64_t from_environment(const char* name, std::uint64_t otherwise);

}  // namespace teamster::simulation
