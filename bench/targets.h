// Targets: what the figures must reach, as ratios within one run, so that they mean the
// same on a fast disk and on a slow one. Ratios are taken round by round, then the median:
// the rounds are interleaved, so what disturbs one subject of a round disturbs the others.
#pragma once

#include <string>
#include <vector>

#include "bench/report.h"

namespace teamster::bench {

// Names of figures, for those who measure and those who compare.
std::string messages_measure(int senders, std::uint64_t inbox);
std::string claims_measure(int processes);
inline constexpr const char* kWakeupMedian = "wake-up p50";
inline constexpr const char* kWakeupTail = "wake-up p99";
inline constexpr const char* kTurnStartMedian = "message to an idle member, until its turn starts, p50";
inline constexpr const char* kTurnStartTail = "message to an idle member, until its turn starts, p99";
inline constexpr const char* kSpawns = "starting 1000 children";
inline constexpr const char* kChecks = "trivial checks of a manifest";
inline constexpr const char* kMemoryLoaded = "hub memory under load (peak)";

inline constexpr const char* kTeamster = "teamster";
inline constexpr const char* kJsonFile = "JSON file";
inline constexpr const char* kJsonFileSynced = "JSON file + fsync";
inline constexpr const char* kSharedSqlite = "shared SQLite";
inline constexpr const char* kXargs = "xargs -P";
inline constexpr const char* kBareSpawn = "posix_spawn loop";
inline constexpr const char* kLimit = "limit (batch server)";

// Those whose figures were measured.
std::vector<Target> check_targets(const Report& report);

}  // namespace teamster::bench
