#include "base/time.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <ctime>

#include <fmt/format.h>

#include "base/text.h"

namespace teamster {

using std::chrono::milliseconds;

WallTime WallTime::operator+(Duration span) const { return WallTime{unix_ms + to_ms(span)}; }

std::int64_t to_ms(Duration span) { return std::chrono::duration_cast<milliseconds>(span).count(); }

// By hand: every answer with a task or a message has several, and a formatter took a tenth of the
// time of reading one.
std::string to_iso8601(WallTime time) {
  using std::chrono::days;
  const std::chrono::sys_time<milliseconds> at{milliseconds(time.unix_ms)};
  const auto day = std::chrono::floor<days>(at);
  const std::chrono::year_month_day date(day);
  const std::int64_t ms = (at - day).count();
  std::string text = "0000-00-00T00:00:00.000Z";
  const auto put = [&text](std::size_t last, std::int64_t number) {
    for (; number > 0; number /= 10) text[last--] = static_cast<char>('0' + number % 10);
  };
  put(3, std::clamp(static_cast<int>(date.year()), 0, 9999));
  put(6, static_cast<unsigned>(date.month()));
  put(9, static_cast<unsigned>(date.day()));
  put(12, ms / 3'600'000);
  put(15, ms / 60'000 % 60);
  put(18, ms / 1000 % 60);
  put(22, ms % 1000);
  return text;
}

// By hand, since every record of a journal has a time.
std::optional<WallTime> parse_iso8601(std::string_view text) {
  constexpr std::string_view kShape = "dddd-dd-ddTdd:dd:dd.dddZ";
  if (text.size() != kShape.size()) return std::nullopt;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (kShape[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != kShape[i]) return std::nullopt;
  const auto number = [&](std::size_t at, std::size_t digits) {
    int value = 0;
    for (std::size_t i = at; i < at + digits; ++i) value = value * 10 + (text[i] - '0');
    return value;
  };
  const std::chrono::year_month_day date{std::chrono::year(number(0, 4)),
                                         std::chrono::month(static_cast<unsigned>(number(5, 2))),
                                         std::chrono::day(static_cast<unsigned>(number(8, 2)))};
  if (!date.ok() || number(11, 2) > 23 || number(14, 2) > 59 || number(17, 2) > 60) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  const std::int64_t seconds = ((days * 24 + number(11, 2)) * 60 + number(14, 2)) * 60 + number(17, 2);
  return WallTime{seconds * 1000 + number(20, 3)};
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
