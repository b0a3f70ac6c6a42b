// SimulatedShell: /bin/sh of the simulated machine. A command that the test knows takes a while, then does at once what
// the test says to the simulated disk, prints and exits. One that it does not know exits with 127 and is remembered.
// Owned by the test, after its world.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "env/loop.h"
#include "env/random.h"
#include "env/sim/sim_world.h"

namespace teamster::simulation {

struct ShellAnswer {
  int exit = 0;
  std::string output = {};
};

class SimulatedShell {
 public:
  using Command = std::function<ShellAnswer(env::Files& files, const std::string& directory)>;
  // By the words with which they begin; the first that fits is taken.
  using Commands = std::vector<std::pair<std::string, Command>>;

  SimulatedShell(env::sim::World& world, Commands commands) : commands_(std::move(commands)) {
    world.on_spawn("/bin/sh", [this](env::sim::Host& host, const env::Spawn& spawn) { run(host, spawn); });
  }
  const std::vector<std::string>& unknown() const { return unknown_; }

 private:
  struct Process {
    env::sim::Host& host;
    std::unique_ptr<env::Stream> streams;
    env::Timer timer;
  };
  static constexpr std::uint64_t kLongestUs = 30'000;

  // sh -c COMMAND
  void run(env::sim::Host& host, const env::Spawn& spawn) {
    std::erase_if(processes_, [](const auto& entry) { return !entry.second->host.is_alive(); });
    auto process = std::make_unique<Process>(Process{host, host.standard_streams(), {}});
    const auto view = host.view();
    process->timer = view.loop.after(std::chrono::microseconds(view.random.next() % kLongestUs),
                                     [this, command = spawn.arguments.back(), it = process.get()] {
                                       const ShellAnswer answer = this->answer(command, it->host);
                                       if (it->streams) it->streams->write(answer.output);
                                       it->host.exit(answer.exit);
                                     });
    processes_[host.id()] = std::move(process);
  }
  ShellAnswer answer(const std::string& command, env::sim::Host& host) {
    for (const auto& [words, known] : commands_)
      if (command.starts_with(words)) return known(host.view().files, host.directory());
    unknown_.push_back(command);
    return {127, "sh: not found\n"};
  }

  const Commands commands_;
  std::vector<std::string> unknown_;
  std::map<env::sim::HostId, std::unique_ptr<Process>> processes_;
};

}  // namespace teamster::simulation
