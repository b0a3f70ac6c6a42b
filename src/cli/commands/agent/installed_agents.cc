#include "cli/commands/agent/installed_agents.h"

#include <csignal>

#include <fmt/format.h>

#include "agent/process.h"
#include "base/text.h"
#include "env/loop.h"
#include "env/processes.h"
#include "version.h"

namespace teamster::cli {
namespace {

using namespace std::chrono_literals;

constexpr Duration kVersionDeadline = 15s;
constexpr std::size_t kVersionMaxBytes = 4096;

// The first line a program prints when asked for its version.
void ask_version(const env::World& world, const agent::Driver& driver, agent::Installed& found) {
  env::Spawn spawn{found.program, {found.program}, world.processes.environment(), ""};
  for (const auto& word : driver.version_arguments()) spawn.arguments.push_back(word);
  std::string output;
  bool is_done = false;
  std::string what;
  env::ExitStatus status;
  auto process = agent::Process::start(world, spawn,
                                       {.on_output =
                                            [&](std::string_view bytes) {
                                              output += bytes.substr(
                                                  0, kVersionMaxBytes - std::min(kVersionMaxBytes, output.size()));
                                            },
                                        .on_ended =
                                            [&](env::ExitStatus ended, const std::string& text) {
                                              status = ended;
                                              what = text;
                                              is_done = true;
                                            }});
  if (!process) {
    found.problem = process.error().text();
    return;
  }
  (*process)->finish_writing();
  const env::Timer deadline = world.loop.after(kVersionDeadline, [&] { (*process)->terminate(); });
  world.loop.run_until([&] { return is_done; });
  if (status.signaled || status.code != 0)
    found.problem = fmt::format("`{} --version` {}", found.program, what);
  else
    found.version = trimmed(std::string_view(output).substr(0, output.find('\n')));
}

}  // namespace

std::vector<InstalledDriver> find_installed(const env::World& world) {
  std::vector<InstalledDriver> all;
  for (const agent::Driver* driver : agent::all_drivers()) {
    InstalledDriver entry{driver, {}};
    entry.found.program = driver->find_program(world);
    if (driver->version_arguments().empty())
      entry.found.version = fmt::format("teamster {}", kVersion);
    else if (entry.found.program.empty())
      entry.found.problem = fmt::format("there is no `{}` on PATH", driver->name());
    else
      ask_version(world, *driver, entry.found);
    all.push_back(std::move(entry));
  }
  return all;
}

}  // namespace teamster::cli
