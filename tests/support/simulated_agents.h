// SimulatedAgents: `teamster script-agent` as a program of the simulated machine: the real scripted agent, on the
// pipes, files and clock of its host. A script may have a calm version: what goes wrong in it does so in the first
// conversations alone, not in all that begin anew because of it. Owned by the test, after its world.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/limits.h"
#include "env/files.h"
#include "env/sim/sim_world.h"
#include "script/agent.h"
#include "script/flags.h"
#include "script/script.h"

namespace teamster::simulation {

class SimulatedAgents {
 public:
  explicit SimulatedAgents(env::sim::World& world) : world_(world) {
    world.on_spawn(world.processes().own_executable + " script-agent",
                   [this](env::sim::Host& host, const env::Spawn& spawn) { run(host, spawn); });
  }

  static std::string calm(const std::string& script) { return script + ".calm"; }

  // Hosts that run now.
  std::vector<env::sim::Host*> living() {
    bury();
    std::vector<env::sim::Host*> hosts;
    for (const auto& [id, process] : processes_) hosts.push_back(&process->host);
    return hosts;
  }
  // Where it keeps its conversation: in the directory of its member.
  const std::string& place_of(const env::sim::Host& host) const { return processes_.at(host.id())->place; }
  // It dies, and what was said in its conversation is gone.
  void lose(env::sim::Host& host) {
    CHECK(host.view().files.remove_tree(place_of(host)));
    world_.kill(host);
  }
  // Of agents that were started while another one had the same place, which is a member's.
  const std::vector<std::string>& shared_places() const { return shared_places_; }

 private:
  struct Process {
    env::sim::Host& host;
    std::unique_ptr<script::RunningAgent> agent;
    std::string place;
  };

  void bury() {
    std::erase_if(processes_, [](const auto& entry) { return !entry.second->host.is_alive(); });
  }
  void run(env::sim::Host& host, const env::Spawn& spawn) {
    bury();
    const auto& words = spawn.arguments;
    const auto flag = std::find(words.begin(), words.end(), "--place");
    const std::string place = flag == words.end() ? "" : *(flag + 1);
    for (const auto& [id, process] : processes_)
      if (process->place == place) shared_places_.push_back(place);
    auto started = start(host, spawn);
    if (!started) {
      host.complain(started.error().text() + "\n");
      return host.exit(1);
    }
    processes_[host.id()] = std::make_unique<Process>(Process{host, *std::move(started), place});
  }
  // A conversation stays with the script in which it began.
  std::string script_of(const script::Settings& settings, env::Files& files) {
    static constexpr int kTroubled = 2;
    bool& is_calm = is_calm_[settings.place_directory];
    if (!settings.resume) is_calm = ++begun_[settings.script_file] > kTroubled;
    const std::string calm_script = calm(settings.script_file);
    const auto status = files.status(calm_script);
    return is_calm && status && *status ? calm_script : settings.script_file;
  }
  Result<std::unique_ptr<script::RunningAgent>> start(env::sim::Host& host, const env::Spawn& spawn) {
    const env::World view = host.view();
    const auto variable = [&](const char* name) { return view.processes.variable(name); };
    const std::span<const std::string> words(spawn.arguments);
    auto line = TRY(script::parse_flags(words.subspan(2), variable, view.files));
    line.settings.cwd = host.directory();
    line.settings.script_file = script_of(line.settings, view.files);
    const std::string text = TRY(view.files.read(line.settings.script_file, limits::kScriptMaxBytes));
    auto script = TRY(script::parse_script(text, line.settings.script_file));
    script::Surroundings surroundings{
        .world = view,
        .streams = host.standard_streams(),
        .watch_signal = [&host](int number, auto callback) { return host.watch_signal(number, std::move(callback)); },
        .complain = [&host](std::string_view said) { host.complain(said); },
        .leave_child = [](const std::string&) -> Result<std::int64_t> {
          return fail(Code::failed, "children that outlive their parent are not simulated");
        },
        .exit_at_once = [&host](int code) { host.exit(code); },
        .die_by_signal = [&host](int number) { host.die_by_signal(number); }};
    return script::start_agent(std::move(surroundings), std::move(line.settings), std::move(script),
                               [&host](int code) { host.exit(code); });
  }

  env::sim::World& world_;
  std::map<env::sim::HostId, std::unique_ptr<Process>> processes_;
  std::vector<std::string> shared_places_;
  std::map<std::string, int> begun_;     // conversations by script
  std::map<std::string, bool> is_calm_;  // by place
};

}  // namespace teamster::simulation
