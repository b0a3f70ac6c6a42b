// Limits of the store alone: sizes of what it remembers, and of its file. Those that others must know too are in
// base/limits.h. Reaching one of these costs time and is never noticed otherwise. Constants.
#pragma once

#include <cstddef>
#include <cstdint>

namespace teamster::store {

// The file.
inline constexpr std::int64_t kLogBytes = 8 * 1024 * 1024;   // of the write-ahead log between checkpoints
inline constexpr std::size_t kWriteMaxBytes = 64 * 1024;     // at once: SQLite's unix files take less than 128 KiB
inline constexpr std::int64_t kFreePagesToCompactMin = 256;  // fewer are kept for what comes next
inline constexpr std::int64_t kFreeShareToCompact = 4;       // one page of so many
inline constexpr std::int64_t kSeqsLookedAtMax = 50'000;     // for one page of one team

// What is remembered of rows in the file.
inline constexpr std::size_t kKnownTeamsMax = 1024;
inline constexpr std::size_t kKnownMembersMax = 4096;
inline constexpr std::size_t kKnownRunsMax = 1024;
inline constexpr std::size_t kFreeTasksKeptMax = 256;  // of one team
inline constexpr std::size_t kTeamsWithFreeTasksMax = 256;
inline constexpr std::size_t kFreeTasksLookedForAtOnce = 64;
inline constexpr std::size_t kFreshKeysMax = 2048;

// What a batch keeps until it is written.
inline constexpr std::size_t kFreshMessagesMax = 64;
inline constexpr std::size_t kFreshMessageMaxBytes = 4096;
inline constexpr std::size_t kUnwrittenMessagesMax = 64;

}  // namespace teamster::store
