// SimulatedHubs: the hub as a program of the simulated machine. Clients start it by
// spawning the program, as they do for real; the test can kill it at any moment.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/log.h"
#include "env/file_sync.h"
#include "env/loop.h"
#include "env/random.h"
#include "env/sim/sim_world.h"
#include "hub/server.h"
#include "protocol/client/client.h"
#include "protocol/client/home.h"
#include "store/wal_file.h"

namespace teamster::hub {

// A sync that takes its time, so that kills and power cuts meet it half-way.
class SimulatedSync : public env::FileSync {
 public:
  SimulatedSync(env::sim::Host& host, std::string database) : host_(host), database_(std::move(database)) {}
  void start(std::function<void(Result<void>)> done) override {
    const auto view = host_.view();
    timer_ = view.loop.after(std::chrono::microseconds(view.random.next() % 3000),
                             [this, done = std::move(done)] { done(store::sync_wal(database_, host_.disk_vfs())); });
  }

 private:
  env::sim::Host& host_;
  std::string database_;
  env::Timer timer_;
};

class SimulatedHubs {
 public:
  explicit SimulatedHubs(env::sim::World& world) : world_(world) {
    world_.on_spawn(world_.processes().own_executable + " hub",
                    [this](env::sim::Host& host, const env::Spawn&) { run(host); });
  }
  ~SimulatedHubs() { processes_.clear(); }

  // The host that serves now, or nullptr.
  env::sim::Host* serving() {
    for (auto& [id, process] : processes_)
      if (process->host.is_alive()) return &process->host;
    return nullptr;
  }
  bool kill() {
    env::sim::Host* host = serving();
    if (host == nullptr) return false;
    world_.kill(*host);
    processes_.erase(host->id());
    return true;
  }
  // From now on none starts, until it is said again with false: as on a disk that is full.
  void keep_away(bool away) {
    is_away_ = away;
    if (away) kill();
  }
  // After a power cut: the objects of dead hosts.
  void bury() {
    std::erase_if(processes_, [](const auto& entry) { return !entry.second->host.is_alive(); });
  }
  int started() const { return started_; }
  const Home& home() const { return home_; }

 private:
  struct Process {
    explicit Process(env::sim::Host& of) : host(of) {}
    env::sim::Host& host;
    Log log;
    std::unique_ptr<Server> server;
  };

  void run(env::sim::Host& host) {
    if (is_away_) return world_.kill(host);
    auto process = std::make_unique<Process>(host);
    ServerOptions options;
    options.vfs = host.disk_vfs();
    options.wal_bytes = 0;  // its disk keeps every write apart: megabytes for each start would take minutes
    options.open_sync = [&host](const std::string& database) -> Result<std::unique_ptr<env::FileSync>> {
      return std::unique_ptr<env::FileSync>(std::make_unique<SimulatedSync>(host, database));
    };
    auto server = Server::start(host.view(), home_, options, process->log, [&host] { host.view().loop.stop(); });
    if (!server) return world_.kill(host);  // another one has the lock
    process->server = *std::move(server);
    ++started_;
    processes_[host.id()] = std::move(process);
    host.on_stop([this, &host] {
      processes_.erase(host.id());
      world_.kill(host);
    });
  }

  env::sim::World& world_;
  Home home_{"/home/user/teamster"};
  std::map<env::sim::HostId, std::unique_ptr<Process>> processes_;
  int started_ = 0;
  bool is_away_ = false;
};

}  // namespace teamster::hub
