#include "env/sim/sim_disk.h"

#include <set>

#include <fmt/format.h>

#include "env/sim/sim_vfs.h"

namespace teamster::env::sim {

SimDisk::SimDisk(SimRandom random, Now now) : random_(random), now_(std::move(now)) {
  // SQLite draws its salts from one generator for the whole process, which does not ask
  // our VFS; without this the same seed would not write the same bytes.
  sqlite3_test_control(SQLITE_TESTCTRL_PRNG_SEED, static_cast<int>(random_.next() | 1U), nullptr);
}

SimDisk::~SimDisk() { sqlite3_test_control(SQLITE_TESTCTRL_PRNG_SEED, 0, nullptr); }

std::string SimDisk::attach(HostId host) {
  auto& vfs = attached_[host];
  // The address makes it unique among the worlds of one process.
  if (!vfs) vfs = std::make_unique<SimVfs>(*this, fmt::format("sim-{}-{}", static_cast<const void*>(this), host.value));
  return vfs->name;
}

void SimDisk::kill(HostId host) {
  if (const auto found = attached_.find(host); found != attached_.end()) found->second->kill();
}

void SimDisk::power_cut(SimRandom& random) {
  for (const auto& entry : attached_) entry.second->kill();
  std::set<std::string> all;
  for (const auto* image : {&seen_, &durable_})
    for (const auto& entry : *image) all.insert(entry.first);
  std::map<std::string, std::shared_ptr<DiskFile>> after;
  for (const auto& name : all) {
    const auto seen = seen_.find(name);
    const auto durable = durable_.find(name);
    const auto as_seen = seen == seen_.end() ? nullptr : seen->second;
    const auto as_durable = durable == durable_.end() ? nullptr : durable->second;
    // A name whose creation, removal or replacement was not synced may be in either state.
    const auto survivor = as_seen == as_durable || random.chance(0.5) ? as_durable : as_seen;
    if (survivor) after[name] = survivor;
  }
  for (const auto& entry : after) entry.second->power_cut(random);
  seen_ = durable_ = std::move(after);
}

std::vector<std::string> SimDisk::names() const {
  std::vector<std::string> names;
  for (const auto& entry : seen_) names.push_back(entry.first);
  return names;
}

std::string SimDisk::bytes(const std::string& file) const {
  const auto found = seen_.find(file);
  return found == seen_.end() ? std::string() : found->second->bytes();
}

void SimDisk::replace(const std::string& file, std::string_view bytes) {
  auto& target = seen_[file];
  if (!target) target = std::make_shared<DiskFile>();
  target->truncate(0);
  target->write(0, bytes);
  target->sync();
  durable_[file] = target;
}

}  // namespace teamster::env::sim
