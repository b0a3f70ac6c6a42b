#include "base/time.h"

#include <array>
#include <cctype>
#include <charconv>
#include <ctime>

#include <fmt/format.h>

#include "base/text.h"

namespace teamster {

using std::chrono::milliseconds;

WallTime WallTime::operator+(Duration span) const { return WallTime{unix_ms + to_ms(span)}; }

std::int64_t to_ms(Duration span) { return std::chrono::duration_cast<milliseconds>(span).count(); }

std::string to_iso8601(WallTime time) {
  std::int64_t ms = time.unix_ms % 1000;
  if (ms < 0) ms += 1000;
  const std::time_t seconds = (time.unix_ms - ms) / 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, ms);
}

Result<Duration> parse_duration(std::string_view text) {
  struct Unit {
    std::string_view name;
    std::int64_t ms;
  };
  static constexpr std::array kUnits{Unit{"", 1000},    Unit{"ms", 1},        Unit{"s", 1000},
                                     Unit{"m", 60'000}, Unit{"h", 3'600'000}, Unit{"d", 86'400'000}};
  constexpr std::int64_t kLargestMs = 100LL * 365 * 86'400'000;
  std::int64_t number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit_name(end, text.data() + text.size());
  if (error == std::errc{} && number >= 0 && !text.empty() && text[0] != '-') {
    for (const auto& unit : kUnits)
      if (unit.name == unit_name && number <= kLargestMs / unit.ms) return milliseconds(number * unit.ms);
  }
  return fail(Code::invalid, fmt::format("{} is not a length of time", quoted(text, 80)),
              "Write a whole number with a unit: 500ms, 5s, 2m, 1h or 7d");
}

std::string describe_duration(Duration span) {
  const std::int64_t seconds = to_ms(span) / 1000;
  if (seconds < 1) return fmt::format("{} ms", to_ms(span));
  if (seconds < 120) return fmt::format("{} s", seconds);
  if (seconds < 7200) return fmt::format("{} m", seconds / 60);
  if (seconds < 2 * 86'400) return fmt::format("{} h", seconds / 3600);
  return fmt::format("{} d", seconds / 86'400);
}

}  // namespace teamster
