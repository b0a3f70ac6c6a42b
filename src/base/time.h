// Time as strong types. Instant is monotonic and never leaves the process;
// WallTime is what the journal stores and people read.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace teamster {

using Duration = std::chrono::nanoseconds;
using Instant = std::chrono::time_point<struct MonotonicTag, Duration>;

struct WallTime {
  std::int64_t unix_ms = 0;
  auto operator<=>(const WallTime&) const = default;
  WallTime operator+(Duration span) const;
};

std::int64_t to_ms(Duration span);

// 2026-11-15T20:19:03.123Z
std::string to_iso8601(WallTime time);
// nullopt for any other form.
std::optional<WallTime> parse_iso8601(std::string_view text);

// "500ms", "5s", "2m", "1h", "7d", or a bare number of seconds. Refuses negative,
// empty, unknown units and what does not fit.
Result<Duration> parse_duration(std::string_view text);
// The largest whole unit: "3 s", "5 m", "2 h", "4 d".
std::string describe_duration(Duration span);

}  // namespace teamster
