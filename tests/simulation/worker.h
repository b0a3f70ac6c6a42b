// Worker: one simulated member that does random things through a real hub client: sends,
// waits, claims, completes, creates tasks, comes back in a new epoch. It is a process of
// the simulated machine; after a power cut it is started again and goes on.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "env/sim/sim_world.h"
#include "protocol/client/client.h"
#include "protocol/client/home.h"
#include "simulation/witness.h"

namespace teamster::simulation {

struct Roster {
  std::string team;
  std::vector<std::string> members;
};

class Worker {
 public:
  Worker(env::sim::World& world, hub::Home home, const Roster& roster, std::string name, Witness& witness,
         std::uint64_t seed, int actions);

  // Starts the process, again after a power cut.
  void start();
  bool is_done() const { return actions_left_ == 0 && !busy_; }
  // While the disk is broken the hub may honestly say that it cannot serve.
  void tolerate_failures(bool tolerate) { tolerates_failures_ = tolerate; }

 private:
  void next();
  void act();
  void send();
  void broadcast();
  void wait();
  void create_task();
  void claim();
  // As an engine does with the items of a run: gives one to a member and completes it.
  void hand_out();
  void complete(std::int64_t task, const std::string& token);
  void rejoin();
  void call(const std::string& op, Json args, std::optional<Duration> wait, std::function<void(const Json&)> on_ok);
  bool is_expected(const Error& error) const;
  const std::string& somebody();

  env::sim::World& world_;
  hub::Home home_;
  const Roster& roster_;
  std::string name_;
  Witness& witness_;
  env::sim::SimRandom random_;
  int actions_left_;
  int next_number_ = 1;
  std::vector<std::int64_t> reserved_;  // tasks that it has made and hands out itself
  bool busy_ = false;
  bool tolerates_failures_ = false;
  env::sim::Host* host_ = nullptr;
  std::unique_ptr<hub::Client> client_;
  env::Timer pause_;
};

}  // namespace teamster::simulation
