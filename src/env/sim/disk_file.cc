#include "env/sim/disk_file.h"

#include <algorithm>

namespace teamster::env::sim {
namespace {

constexpr std::size_t kSectorBytes = 512;

void overwrite(std::string& bytes, std::size_t offset, std::string_view with) {
  if (bytes.size() < offset + with.size()) bytes.resize(offset + with.size(), '\0');
  bytes.replace(offset, with.size(), with);
}

}  // namespace

void DiskFile::apply(const Change& change, std::string& bytes) {
  if (change.is_truncation)
    bytes.resize(change.offset, '\0');
  else
    overwrite(bytes, change.offset, change.bytes);
}

void DiskFile::write(std::size_t offset, std::string_view bytes) {
  unsynced_.push_back({.offset = offset, .bytes = std::string(bytes)});
  apply(unsynced_.back(), seen_);
}

void DiskFile::truncate(std::size_t size) {
  unsynced_.push_back({.offset = size, .bytes = {}, .is_truncation = true});
  apply(unsynced_.back(), seen_);
}

void DiskFile::sync() {
  for (const auto& change : unsynced_)
    if (!change.is_lost) apply(change, durable_);
  unsynced_.clear();
}

void DiskFile::fail_sync() {
  for (auto& change : unsynced_) change.is_lost = true;
}

void DiskFile::power_cut(SimRandom& random) {
  for (const auto& change : unsynced_) {
    const auto fate = random.below(3);
    if (fate == 0) continue;
    if (fate == 1 || change.is_truncation) {
      apply(change, durable_);
      continue;
    }
    // Torn: the disk writes whole sectors, in any order.
    for (std::size_t at = 0; at < change.bytes.size();) {
      const std::size_t to_sector_end = kSectorBytes - (change.offset + at) % kSectorBytes;
      const std::size_t length = std::min(to_sector_end, change.bytes.size() - at);
      if (random.chance(0.5))
        overwrite(durable_, change.offset + at, std::string_view(change.bytes).substr(at, length));
      at += length;
    }
  }
  unsynced_.clear();
  seen_ = durable_;
}

}  // namespace teamster::env::sim
