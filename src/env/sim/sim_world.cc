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
      processes_(world.processes_, id, world.processes_.add(id, ticks(world.clock_))) {}

bool Host::is_alive() const { return world_.loop_.is_alive(id_); }

env::World Host::view() { return {world_.clock_, loop_, files_, network_, processes_, random_}; }

std::string Host::disk_vfs() { return world_.disk_.attach(id_); }

void Host::on_stop(Callback callback) { world_.loop_.on_stop(id_, std::move(callback)); }

std::unique_ptr<Stream> Host::standard_streams() { return world_.children_.standard_streams(id_); }

void Host::complain(std::string_view text) { world_.children_.complain(id_, text); }

Registration Host::watch_signal(int number, Callback callback) {
  return world_.children_.watch_signal(id_, number, std::move(callback));
}

void Host::exit(int code) { world_.children_.exit(id_, {.signaled = false, .code = code}); }

void Host::die_by_signal(int number) { world_.children_.exit(id_, {.signaled = true, .code = number}); }

World::World(std::uint64_t seed)
    : seed_(seed),
      random_(seed_.fork("test")),
      faults_(seed_.fork("power")),
      loop_(clock_, seed_.fork("loop")),
      network_(loop_, seed_.fork("network")),
      files_(loop_),
      disk_(seed_.fork("disk"), [this] { return clock_.wall_now(); }),
      processes_(boot_id(seed_.fork("boot 0"))),
      children_(loop_, seed_.fork("pipes"), [this](HostId host) { kill(*hosts_.at(host)); }) {
  processes_.set_starter({.with_pipes = [this](HostId parent, const Spawn& spawn) -> Result<std::unique_ptr<Child>> {
                            Host* host = TRY(this->spawn(parent, spawn));
                            return children_.add(parent, host->id(), host->pid());
                          },
                          .detached = [this](HostId parent, const Spawn& spawn) -> Result<std::int64_t> {
                            return TRY(this->spawn(parent, spawn))->pid();
                          }});
}

World::~World() {
  // While all parts are whole: callbacks may hold streams, locks and registrations.
  for (const auto& [id, host] : hosts_) kill(*host);
}

Host& World::start(const std::string& name) {
  const HostId id = loop_.add_host();
  return *(hosts_[id] = std::make_unique<Host>(*this, id, name));
}

void World::kill(Host& host) {
  if (!host.is_alive()) return;
  processes_.kill(host.id());
  disk_.kill(host.id());
  files_.kill(host.id());
  // The loop before the network: the peers' ends are told to them, not to the dead.
  loop_.kill(host.id());
  network_.kill(host.id());
  children_.kill(host.id());
}

void World::kill_children(Host& host) {
  for (const HostId child : children_.living_children_of(host.id())) kill(*hosts_.at(child));
}

void World::power_cut() {
  for (const auto& [id, host] : hosts_) kill(*host);
  files_.power_cut(faults_);
  disk_.power_cut(faults_);
  processes_.reboot(boot_id(seed_.fork(fmt::format("boot {}", ++boots_))));
}

void World::run_for(Duration span) {
  bool is_over = false;
  const Registration end = loop_.schedule(kNobody, SimLoop::Kind::timer, span, [&] { is_over = true; });
  loop_.run_until([&] { return is_over; });
}

const World::Program* World::find_program(const Spawn& spawn) const {
  auto found = spawn.arguments.size() > 1 ? programs_.find(spawn.program + " " + spawn.arguments[1]) : programs_.end();
  if (found == programs_.end()) found = programs_.find(spawn.program);
  return found == programs_.end() ? nullptr : &found->second;
}

Result<Host*> World::spawn(HostId parent, const Spawn& spawn) {
  const Program* program = find_program(spawn);
  if (program == nullptr)
    return fail(Code::not_found, fmt::format("cannot start {}: No such file or directory", spawn.program),
                "In the simulation a program must be given with World::on_spawn");
  Host& host = start(spawn.program);
  host.processes_.set_environment(spawn.environment);
  host.directory_ = spawn.directory.empty() ? hosts_.at(parent)->directory() : spawn.directory;
  // Not inside the caller's call: a real program takes its time to come up.
  const auto delay = Duration(faults_.below(static_cast<std::uint64_t>(Duration(20ms).count())));
  auto begin = [&host, spawn, program = *program] { program(host, spawn); };
  auto starting = std::make_shared<Registration>();
  *starting = loop_.schedule(host.id(), SimLoop::Kind::timer, delay, [begin = std::move(begin), starting] { begin(); });
  return &host;
}

}  // namespace teamster::env::sim
