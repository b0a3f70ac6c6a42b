// RunAppender: a simulated process that wants to drive one run, as an engine would, while
// others want the same: takes the lease, appends, hangs longer than its lease lasts, releases,
// and tells the run things. Killed, it is started again as a new process and goes on.
#pragma once

#include <memory>
#include <string>

#include "env/sim/sim_world.h"
#include "protocol/client/client.h"
#include "protocol/client/home.h"
#include "simulation/run_witness.h"

namespace teamster::simulation {

class RunAppender {
 public:
  RunAppender(env::sim::World& world, hub::Home home, std::string run, std::string name, RunWitness& witness,
              std::uint64_t seed, int actions);

  // Starts the process, again after it was killed.
  void start();
  void kill();
  bool is_done() const { return actions_left_ == 0 && !busy_; }
  // While the disk is broken the hub may honestly say that it cannot serve.
  void tolerate_failures(bool tolerate) { tolerates_failures_ = tolerate; }

 private:
  void next(Duration longest);
  void act();
  void take();
  void take_existing();
  void append();
  void tell();
  void release();
  void granted(const Json& answer);
  Json holder();
  std::string next_id();
  void call(const std::string& op, Json args, std::function<void(const Result<Json>&)> then);
  // Whether the hub may say this; if not, it is accused.
  bool is_lost(const std::string& op, const Error& error);

  env::sim::World& world_;
  hub::Home home_;
  std::string run_;
  std::string name_;
  RunWitness& witness_;
  env::sim::SimRandom random_;
  int actions_left_;
  int next_number_ = 1;
  std::int64_t lease_ = 0;  // 0: it has none
  std::int64_t after_ = 0;
  bool busy_ = false;
  bool tolerates_failures_ = false;
  env::sim::Host* host_ = nullptr;
  std::unique_ptr<hub::Client> client_;
  env::Timer pause_;
};

}  // namespace teamster::simulation
