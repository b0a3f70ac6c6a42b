#include "base/time.h"

#include <gtest/gtest.h>

namespace teamster {
namespace {

TEST(Time, ParsesDurations) {
  EXPECT_EQ(to_ms(*parse_duration("500ms")), 500);
  EXPECT_EQ(to_ms(*parse_duration("5s")), 5000);
  EXPECT_EQ(to_ms(*parse_duration("5")), 5000);
  EXPECT_EQ(to_ms(*parse_duration("2m")), 120'000);
  EXPECT_EQ(to_ms(*parse_duration("1h")), 3'600'000);
  EXPECT_EQ(to_ms(*parse_duration("7d")), 7LL * 86'400'000);
  EXPECT_EQ(to_ms(*parse_duration("0s")), 0);
}

TEST(Time, RefusesOtherDurations) {
  for (const char* text : {"", "s", "-5s", "5 s", "5x", "1.5s", "99999999999999999999s", "9999999999d", "5s5", "+5s"})
    EXPECT_FALSE(parse_duration(text)) << text;
}

TEST(Time, WritesIso8601) {
  EXPECT_EQ(to_iso8601(WallTime{0}), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(to_iso8601(WallTime{1'794'771'013'221}), "2026-11-15T19:30:13.221Z");
  EXPECT_EQ(to_iso8601(WallTime{-1}), "1969-12-31T23:59:59.999Z");
  EXPECT_EQ(to_iso8601(WallTime{951'782'400'007}), "2000-02-29T00:00:00.007Z");
  EXPECT_EQ(to_iso8601(WallTime{253'402'300'799'999}), "9999-12-31T23:59:59.999Z");
}

TEST(Time, ReadsWhatItWrites) {
  for (const std::int64_t ms : {std::int64_t{0}, std::int64_t{1'794'771'013'221}, std::int64_t{-1},
                                std::int64_t{951'782'400'007}, std::int64_t{253'402'300'799'999}})
    EXPECT_EQ(parse_iso8601(to_iso8601(WallTime{ms})).value_or(WallTime{1}).unix_ms, ms);
  for (const char* text : {"", "2026-11-15T19:30:13.221", "2026-11-15T19:30:13.2Z", "2026-11-15 19:30:13.221Z",
                           "2026-13-15T19:30:13.221Z", "2026-02-30T19:30:13.221Z", "2026-11-15T24:30:13.221Z",
                           "2026-11-15T19:60:13.221Z", "+026-11-15T19:30:13.221Z", "2026-11-15T19:30:13.-21Z"})
    EXPECT_FALSE(parse_iso8601(text)) << text;
}

TEST(Time, DescribesTheLargestUnit) {
  EXPECT_EQ(describe_duration(std::chrono::milliseconds(5)), "5 ms");
  EXPECT_EQ(describe_duration(std::chrono::seconds(90)), "90 s");
  EXPECT_EQ(describe_duration(std::chrono::hours(3)), "3 h");
  EXPECT_EQ(describe_duration(std::chrono::hours(72)), "3 d");
}

}  // namespace
}  // namespace teamster
