#include "hub/crowd.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace teamster::hub {

void Crowd::answered(std::set<ConnectionId> connections, Instant now, Duration sync) {
  // Two batches, because clients that are served in turns are a crowd as well.
  std::vector<ConnectionId> both;
  std::set_union(last_.begin(), last_.end(), connections.begin(), connections.end(), std::back_inserter(both));
  expected_ = both.size();
  last_ = std::move(connections);
  // Coming back takes them about two; a late one costs the others little.
  constexpr int kSyncs = 3;
  constexpr Duration kLongest = std::chrono::milliseconds(1);
  until_ = now + std::min(kSyncs * sync, kLongest);
}

std::optional<Instant> Crowd::wait_until(std::size_t ready, Instant now) const {
  constexpr std::size_t kFewestExpected = 4;
  if (expected_ < kFewestExpected || ready >= expected_ || now >= until_) return std::nullopt;
  return until_;
}

}  // namespace teamster::hub
