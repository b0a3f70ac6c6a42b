#include "base/time.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include <fmt/format.h>

#include "base/text.h"

namespace teamster {

using std::chrono::milliseconds;

WallTime WallTime::operator+(Duration span) const { return WallTime{unix_ms + to_ms(span)}; }

std::int64_t to_ms(Duration span) { return std::chrono::duration_cast<milliseconds>(span).count(); }

std::string to_iso8601(WallTime time) {
  const std::chrono::sys_time<milliseconds> at{milliseconds(time.unix_ms)};
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(at - day);
  // By hand: every answer holds some of these.
  std::string text = "0000-00-00T00:00:00.000Z";
  const auto put = [&](std::size_t last, auto number) {
    for (auto rest = static_cast<std::uint64_t>(number); rest > 0; rest /= 10)
      text[last--] = static_cast<char>('0' + rest % 10);
  };
  put(3, std::clamp(static_cast<int>(date.year()), 0, 9999));
  put(6, static_cast<unsigned>(date.month()));
  put(9, static_cast<unsigned>(date.day()));
  put(12, clock.hours().count());
  put(15, clock.minutes().count());
  put(18, clock.seconds().count());
  put(22, clock.subseconds().count());
  return text;
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
