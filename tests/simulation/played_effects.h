// PlayedEffects: the effects of a run of implement-spec in the simulator: turns answered from a table
// (the tests fail once and are mended once), each settled after a while. What was done is on the
// simulated disk, for an engine that comes after a crash, as transcripts and commits are for
// the real one. Owned by a simulated engine; on its loop.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/effects.h"
#include "env/loop.h"
#include "env/world.h"
#include "workflow/core/words.h"

namespace teamster::simulation {

// What was done in the world, by whichever process. Owned by the test.
struct Deeds {
  std::map<std::string, int> performed;  // by effect: "verify.1"
  int found = 0;                         // done by a process that has died since
  int troubles = 0;
  int repeated_events = 0;
};

struct PlayedEffectsOptions {
  const workflow::Pinned& pinned;
  std::string project;
  // How unkind the world is; may change at any time.
  struct Chances {
    double trouble = 0;  // that the first try at a turn fails
    double repeat = 0;   // that an event is told once more, later
  };
  const Chances& chances;
};

class PlayedEffects : public engine::Effects {
 public:
  PlayedEffects(const env::World& world, PlayedEffectsOptions options, Deeds& deeds);

  void begin(const engine::Effect& effect, const workflow::RunState& state, Settle settle) override;
  void drop(const std::string& id) override;
  Result<void> follow(const workflow::RunState& state) override;

 private:
  void perform(const workflow::RunCommand& command, const workflow::RunEvent& outcome, const Settle& settle);
  void tell(const std::string& id, const workflow::RunEvent& outcome, const Settle& settle);
  workflow::RunEvent outcome_of(const engine::Effect& effect, const workflow::RunState& state);
  std::string record_of(const std::string& id) const;
  bool chance(double probability);
  Duration a_while();

  env::World world_;
  const PlayedEffectsOptions options_;
  Deeds& deeds_;
  std::map<std::string, env::Timer> timers_;
  std::vector<env::Timer> late_;
};

// Where a run of it begins: what `teamster run implement-spec 01` would find out.
workflow::RunEvent played_start();

}  // namespace teamster::simulation
