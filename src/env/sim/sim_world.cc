#include "env/sim/sim_world.h"

#include <fmt/format.h>

namespace teamster::env::sim {
namespace {

using namespace std::chrono_literals;

// The shape of the real one: a UUID.
std::string boot_id(SimRandom random) {
  const std::string hex = random.hex(16);
  return fmt::format("{}-{}-{}-{}-{}", hex.substr(0, 8), hex.substr(8, 4), hex.substr(12, 4), hex.substr(16, 4),
                     hex.substr(20));
}

// Field 22 of /proc/PID/stat counts hundredths of a second.
std::uint64_t ticks(const SimClock& clock) { return static_cast<std::uint64_t>(clock.now().time_since_epoch() / 10ms); }

}  // namespace

Host::Host(World& world, HostId id, std::string name)
    : world_(world),
      id_(id),
      name_(std::move(name)),
      random_(world.seed_.fork(fmt::format("host {} {}", id.value, name_))),
      loop_(world.loop_, id),
      files_(world.files_, world.loop_, world.clock_, id),
      network_(world.network_, id),
      processes_(world.processes_, world.processes_.add(id, ticks(world.clock_))) {}

bool Host::is_alive() const { return world_.loop_.is_alive(id_); }

env::World Host::view() { return {world_.clock_, loop_, files_, network_, processes_, random_}; }

std::string Host::disk_vfs() { return world_.disk_.attach(id_); }

void Host::on_stop(Callback callback) { world_.loop_.on_stop(id_, std::move(callback)); }

World::World(std::uint64_t seed)
    : seed_(seed),
      random_(seed_.fork("test")),
      faults_(seed_.fork("power")),
      loop_(clock_, seed_.fork("loop")),
      network_(loop_, seed_.fork("network")),
      files_(loop_),
      disk_(seed_.fork("disk"), [this] { return clock_.wall_now(); }),
      processes_(boot_id(seed_.fork("boot 0"))) {
  processes_.set_starter([this](const Spawn& spawn) { return this->spawn(spawn); });
}

World::~World() {
  // While all parts are whole: callbacks may hold streams, locks and registrations.
  for (const auto& host : hosts_) kill(*host);
}

Host& World::start(const std::string& name) {
  const HostId id = loop_.add_host();
  return *hosts_.emplace_back(std::make_unique<Host>(*this, id, name));
}

void World::kill(Host& host) {
  if (!host.is_alive()) return;
  processes_.kill(host.id());
  disk_.kill(host.id());
  files_.kill(host.id());
  // The loop before the network: the peers' ends are told to them, not to the dead.
  loop_.kill(host.id());
  network_.kill(host.id());
}

void World::power_cut() {
  for (const auto& host : hosts_) kill(*host);
  files_.power_cut(faults_);
  disk_.power_cut(faults_);
  processes_.reboot(boot_id(seed_.fork(fmt::format("boot {}", ++boots_))));
}

void World::run_for(Duration span) {
  bool is_over = false;
  const Registration end = loop_.schedule(kNobody, SimLoop::Kind::timer, span, [&] { is_over = true; });
  loop_.run_until([&] { return is_over; });
}

Result<std::int64_t> World::spawn(const Spawn& spawn) {
  const auto program = programs_.find(spawn.program);
  if (program == programs_.end())
    return fail(Code::not_found, fmt::format("cannot start {}: No such file or directory", spawn.program),
                "In the simulation a program must be given with World::on_spawn");
  Host& host = start(spawn.program);
  // Not inside the caller's call: a real program takes its time to come up.
  const auto delay = Duration(faults_.below(static_cast<std::uint64_t>(Duration(20ms).count())));
  auto begin = [&host, spawn, program = program->second] { program(host, spawn); };
  auto starting = std::make_shared<Registration>();
  *starting = loop_.schedule(host.id(), SimLoop::Kind::timer, delay, [begin = std::move(begin), starting] { begin(); });
  return host.pid();
}

}  // namespace teamster::env::sim
