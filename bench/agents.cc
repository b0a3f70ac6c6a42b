#include "bench/agents.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <fstream>
#include <string_view>

#include <fmt/format.h>

#include "agent/host.h"
#include "base/check.h"
#include "bench/hub_connection.h"
#include "bench/shared_memory.h"
#include "bench/teamster_subject.h"
#include "bench/workers.h"
#include "keeper/kept_processes.h"

namespace teamster::bench {
namespace {

constexpr const char* kTeam = "turns";
// Until the member certainly waits again.
constexpr useconds_t kPauseUs = 1500;
constexpr int kGiveUpAfterMs = 30'000;

enum class Mark : std::size_t { sent_ns, taken_ns, turns, ready, count };
using Marks = Shared<std::atomic<std::int64_t>>;
std::atomic<std::int64_t>& at(Marks& marks, Mark mark) { return marks[static_cast<std::size_t>(mark)]; }

env::World with_keeper(env::real::World& world, keeper::KeptProcesses& kept) {
  const env::World view = world.view();
  return {view.clock, view.loop, view.files, view.network, kept, view.random};
}

// The process that hosts the member; ends when it is killed.
void host_member(const hub::Home& home, const std::string& script, Marks& marks) {
  env::real::World world;
  keeper::KeptProcesses kept(world.loop(), world.view().processes);
  const env::World view = with_keeper(world, kept);
  agent::Host host(view, home, [&](const Result<void>&) { world.loop().stop(); });
  agent::MemberOptions options;
  options.team = kTeam;
  options.member = "receiver";
  options.driver = *agent::find_driver("script");
  options.start.directory = "/";
  options.start.script = script;
  agent::MemberObserver observer;
  observer.on_ready = [&] { at(marks, Mark::ready) = 1; };
  observer.on_input = [&](const std::string&, agent::InputState state) {
    if (state == agent::InputState::taken) at(marks, Mark::taken_ns) = monotonic_ns();
  };
  observer.on_turn = [&](const agent::TurnResult&) { at(marks, Mark::turns).fetch_add(1); };
  host.add(std::move(options), std::move(observer));
  world.loop().run();
}

Result<void> wait_for(Marks& marks, Mark mark, std::int64_t value, ChildProcess& host) {
  for (int waited = 0; at(marks, mark) < value; ++waited) {
    if (!host.is_running() || waited > kGiveUpAfterMs * 10)
      return fail(Code::failed, "the host of the scripted member does not answer");
    ::usleep(100);
  }
  return {};
}

}  // namespace

Result<std::vector<double>> measure_turn_starts(TeamsterSubject& subject, const std::string& scratch,
                                                std::uint64_t messages) {
  TRY_VOID(subject.ensure_hub());
  const hub::Home& home = subject.home();
  if (::access(home.token_file(kTeam, "sender").c_str(), R_OK) != 0)
    TRY_VOID(subject.create_team(kTeam, {"sender", "receiver"}));
  const std::string script = scratch + "/idle.json";
  std::ofstream(script) << R"({"turns":[],"otherwise":[{"say":"ok"}]})";
  Marks marks(static_cast<std::size_t>(Mark::count));
  auto host = TRY(ChildProcess::fork([&] { host_member(home, script, marks); }));
  TRY_VOID(wait_for(marks, Mark::ready, 1, host));
  HubConnection sender(home, hub::Access::member(home.token_file(kTeam, "sender")));
  std::vector<double> latencies;
  for (std::uint64_t i = 0; i < messages; ++i) {
    ::usleep(kPauseUs);
    const std::int64_t sent = monotonic_ns();
    TRY_VOID(sender.call("message.send", {{"to", "receiver"}, {"body", "go"}}));
    TRY_VOID(wait_for(marks, Mark::turns, static_cast<std::int64_t>(i) + 1, host));
    latencies.push_back(static_cast<double>(at(marks, Mark::taken_ns) - sent) / 1000.0);
  }
  // The first turn includes the start of the agent's process.
  if (!latencies.empty()) latencies.erase(latencies.begin());
  return latencies;
}

Result<double> measure_kept_spawns(int count) {
  env::real::World world;
  keeper::KeptProcesses kept(world.loop(), world.view().processes);
  const env::Spawn spawn{"/bin/true", {"true"}, {"PATH=/bin"}, "/"};
  int ended = 0;
  // The keeper itself is started with its first child.
  auto first = TRY(kept.spawn(spawn));
  first->on_exit([&](env::ExitStatus) { ++ended; });
  world.loop().run_until([&] { return ended == 1; });
  const std::int64_t before = monotonic_ns();
  std::vector<std::unique_ptr<env::Child>> children;
  for (int i = 0; i < count; ++i) {
    children.push_back(TRY(kept.spawn(spawn)));
    children.back()->on_exit([&](env::ExitStatus) { ++ended; });
  }
  world.loop().run_until([&] { return ended == count + 1; });
  return static_cast<double>(monotonic_ns() - before) / 1e6;
}

Result<double> measure_bare_spawns(int count) {
  const std::int64_t before = monotonic_ns();
  std::array<char*, 2> arguments = {const_cast<char*>("true"), nullptr};
  std::array<char*, 2> environment = {const_cast<char*>("PATH=/bin"), nullptr};
  std::vector<pid_t> pids;
  for (int i = 0; i < count; ++i) {
    pid_t pid = 0;
    if (::posix_spawn(&pid, "/bin/true", nullptr, nullptr, arguments.data(), environment.data()) != 0)
      return fail(Code::failed, "posix_spawn of /bin/true failed");
    pids.push_back(pid);
  }
  for (const pid_t pid : pids) ::waitpid(pid, nullptr, 0);
  return static_cast<double>(monotonic_ns() - before) / 1e6;
}

void become_teamster_if_asked(int argc, char** argv, const char* binary) {
  if (argc < 2) return;
  for (const std::string_view word : {"hub", "keeper", "script-agent", "mcp"})
    if (word == argv[1]) {
      ::execv(binary, argv);
      ::_exit(127);
    }
}

}  // namespace teamster::bench
