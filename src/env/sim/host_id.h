// HostId: which simulated process something belongs to. Never reused in one world, so
// that what a dead process left cannot be taken for another's.
#pragma once

#include "base/ids.h"

namespace teamster::env::sim {

using HostId = Id<struct HostTag>;

// The simulator itself: its events run whatever dies.
inline constexpr HostId kNobody{0};

}  // namespace teamster::env::sim
