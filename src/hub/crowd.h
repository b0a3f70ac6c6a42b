// Crowd: whether a batch should wait a moment for more requests. Clients that were answered
// together ask again together, a little later; without waiting for them they fall apart into
// small batches, each with its own commit and sync. Waiting never lasts longer than three
// syncs take, and few clients never wait. Owned by the server, on its thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>

#include "base/time.h"
#include "hub/parking.h"

namespace teamster::hub {

class Crowd {
 public:
  // Requests of these connections were answered at `now`, after a sync that took `sync`.
  void answered(std::set<ConnectionId> connections, Instant now, Duration sync);

  // Until when to wait for more when `ready` connections have asked; nullopt: not at all.
  std::optional<Instant> wait_until(std::size_t ready, Instant now) const;

 private:
  std::set<ConnectionId> last_;
  std::size_t expected_ = 0;  // connections of the last two batches
  Instant until_;
};

}  // namespace teamster::hub
