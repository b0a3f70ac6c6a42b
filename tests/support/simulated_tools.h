// SimulatedTools: `teamster mcp` as a program of the simulated machine: the real server with the real tools of a team,
// on the pipes of its host. Agents start it, so what they ask and report goes the way that it goes for real. Owned by
// the test, after its world.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>

#include "env/sim/sim_world.h"
#include "mcp/server.h"
#include "mcp/team_tools.h"
#include "protocol/client/home.h"

namespace teamster::simulation {

class SimulatedTools {
 public:
  SimulatedTools(env::sim::World& world, hub::Home home) : home_(std::move(home)) {
    world.on_spawn(world.processes().own_executable + " mcp",
                   [this](env::sim::Host& host, const env::Spawn& spawn) { run(host, spawn); });
  }

 private:
  struct Process {
    env::sim::Host& host;
    mcp::TeamTools tools;
    mcp::Server server;
    Process(env::sim::Host& of, const hub::Home& home, mcp::TeamToolsOptions options)
        : host(of),
          tools(of.view(), home, std::move(options)),
          server(of.view(), of.standard_streams(), tools, [&of] { of.exit(0); }) {}
  };

  static std::string word_after(const env::Spawn& spawn, const std::string& flag) {
    const auto at = std::find(spawn.arguments.begin(), spawn.arguments.end(), flag);
    return at == spawn.arguments.end() || at + 1 == spawn.arguments.end() ? "" : *(at + 1);
  }
  void run(env::sim::Host& host, const env::Spawn& spawn) {
    std::erase_if(processes_, [](const auto& entry) { return !entry.second->host.is_alive(); });
    mcp::TeamToolsOptions options;
    options.team = word_after(spawn, "--team");
    options.member = word_after(spawn, "--member");
    options.token_file = word_after(spawn, "--token-file");
    options.host_delivers = word_after(spawn, "--inbox") == "host";
    auto& process = processes_[host.id()];
    process = std::make_unique<Process>(host, home_, std::move(options));
    process->server.start();
  }

  const hub::Home home_;
  std::map<env::sim::HostId, std::unique_ptr<Process>> processes_;
};

}  // namespace teamster::simulation
