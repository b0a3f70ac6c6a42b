// HostId: which simulated process something belongs to. Never reused in one world, so
// that what a dead process left cannot be taken for another's.
#pragma once

#include <cstdint>

#include "base/ids.h"

namespace teamster::env::sim {

using HostId = Id<struct HostTag>;

// A host is a process, and this is its number.
constexpr std::int64_t pid_of(HostId host) { return 1000 + host.value; }

// The simulator itself: its events run whatever dies.
inline constexpr HostId kNobody{0};

}  // namespace teamster::env::sim
