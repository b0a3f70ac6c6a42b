#include "env/shared_clock.h"

#include <array>
#include <cstdint>

namespace teamster::env {

std::string new_shared_clock(std::optional<WallTime> stands_at) {
  const std::array<std::int64_t, 2> numbers = {0, stands_at ? stands_at->unix_ms : 0};
  static_assert(sizeof(numbers) == kSharedClockBytes);
  return {reinterpret_cast<const char*>(numbers.data()), sizeof(numbers)};
}

}  // namespace teamster::env
