// sim::World: a whole machine from one seed; the same seed gives the same run. Owned by
// the test, declared before everything that runs in it. Processes are hosts: start one,
// hand its view to the code under test, drive all of them with run_until, kill any.
// A killed host never runs again; the objects it left may be destroyed at any time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "env/sim/host_loop.h"
#include "env/sim/sim_children.h"
#include "env/sim/sim_clock.h"
#include "env/sim/sim_disk.h"
#include "env/sim/sim_files.h"
#include "env/sim/sim_network.h"
#include "env/sim/sim_processes.h"
#include "env/world.h"

namespace teamster::env::sim {

class World;

// One simulated process. Owned by the world, for as long as the world lives.
class Host {
 public:
  Host(World& world, HostId id, std::string name);

  HostId id() const { return id_; }
  const std::string& name() const { return name_; }
  std::int64_t pid() { return processes_.self().pid; }
  bool is_alive() const;
  env::World view();
  // The VFS through which this host opens its SQLite files.
  std::string disk_vfs();
  // Where it works.
  const std::string& directory() const { return directory_; }
  // Called, from the world, when the host has stopped its loop, as a main that returns:
  // the place to destroy its objects and kill it.
  void on_stop(Callback callback);

  // What follows is for one that was spawned with pipes. Its standard input and output as one stream, asked for once.
  std::unique_ptr<Stream> standard_streams();
  // On its standard error.
  void complain(std::string_view text);
  // One that watches a signal hears it instead of dying by it; SIGKILL is never heard.
  Registration watch_signal(int number, Callback callback);
  // Ends it, as World::kill does, and its parent learns how. What it has written arrives.
  void exit(int code);
  void die_by_signal(int number);

 private:
  friend class World;

  World& world_;
  const HostId id_;
  const std::string name_;
  std::string directory_ = "/";
  SimRandom random_;
  HostLoop loop_;
  SimFiles files_;
  HostNetwork network_;
  SimProcesses processes_;
};

class World {
 public:
  // What a program does: called in the new host, a little after it was spawned.
  using Program = std::function<void(Host& host, const Spawn& spawn)>;

  explicit World(std::uint64_t seed);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  Host& start(const std::string& name);
  // Everything it had vanishes at once: callbacks, sockets, locks, open database files.
  void kill(Host& host);
  // Kills all hosts; of what was not synced some is lost; the boot id is a new one.
  void power_cut();
  // As a kill of its keeper: whatever it has started is gone at once.
  void kill_children(Host& host);
  // To start this program is to start a host that runs `program`. "PATH WORD" is the program with this first argument,
  // for one that has many commands.
  void on_spawn(const std::string& path, Program program) { programs_[path] = std::move(program); }

  bool run_until(const std::function<bool()>& done) { return loop_.run_until(done); }
  // Runs everything that happens within `span`.
  void run_for(Duration span);

  SimClock& clock() { return clock_; }
  SimLoop& loop() { return loop_; }
  SimNetwork& network() { return network_; }
  SimFileTree& files() { return files_; }
  SimDisk& disk() { return disk_; }
  ProcessTable& processes() { return processes_; }
  // For the test's own choices.
  SimRandom& random() { return random_; }

 private:
  friend class Host;
  Result<Host*> spawn(HostId parent, const Spawn& spawn);
  const Program* find_program(const Spawn& spawn) const;

  const SimRandom seed_;
  SimRandom random_;
  SimRandom faults_;
  SimClock clock_;
  SimLoop loop_;
  SimNetwork network_;
  SimFileTree files_;
  SimDisk disk_;
  ProcessTable processes_;
  SimChildren children_;
  std::map<HostId, std::unique_ptr<Host>> hosts_;
  std::map<std::string, Program> programs_;
  int boots_ = 0;
};

}  // namespace teamster::env::sim
