// Scene: what a simulated run is about: its workflow and the words of its command line, the files of its project, the
// scripts of its agents, what commands do to the disk, and what people answer. A value; EngineStage plays it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "env/files.h"
#include "env/sim/sim_random.h"
#include "simulation/rehearsed_project.h"
#include "support/simulated_shell.h"
#include "workflow/core/words.h"

namespace teamster::simulation {

struct Scene {
  workflow::Pinned pinned;  // with the name of the run
  std::vector<std::string> words = {};
  std::function<void(env::Files&)> write_project;
  // Returns how many troubles there are in them.
  std::function<int(env::Files&, const Troubles&, env::sim::SimRandom&)> write_scripts;
  SimulatedShell::Commands commands;
  // What power cuts do not take, see rehearsed_project.h.
  std::function<bool(const std::string& path)> is_of_agents = simulation::is_of_agents;
  // By step: the fields of the person's answer.
  std::map<std::string, Json> people = {};
  bool ends_committed = true;  // nothing is left to commit when it is done
};

// The demo's run, from this source tree.
Scene implement_spec();
// Items with blockers, a ladder and one that parks, a checklist, a team from a phase on, state for others, a question
// of an agent, what a role may not write, and a gate.
Scene whole_engine();

}  // namespace teamster::simulation
