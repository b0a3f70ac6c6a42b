// The file by which all processes of a rehearsal share one wall clock: how far it is ahead of the system's, and
// whether it stands. Its bytes, said once for whoever writes the file and for the clock that follows it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/time.h"

namespace teamster::env {

// Two numbers of 8 bytes: milliseconds that it is ahead, and the time at which it stands, 0 while it goes.
inline constexpr std::size_t kSharedClockBytes = 16;

// What the file holds at first. A clock that stands makes the same times each time.
std::string new_shared_clock(std::optional<WallTime> stands_at = std::nullopt);

}  // namespace teamster::env
