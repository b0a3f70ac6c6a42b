// Every limit of the program in one place, units in the name. Reaching one is an
// error or an event that names it, never silence.
#pragma once

#include <chrono>
#include <cstddef>

#include "base/time.h"

namespace teamster::limits {

using namespace std::chrono_literals;

// Names and texts.
inline constexpr std::size_t kNameMaxBytes = 64;
inline constexpr std::size_t kBodyMaxBytes = 1024 * 1024;
inline constexpr std::size_t kSummaryMaxBytes = 1024;
inline constexpr std::size_t kSubjectMaxBytes = 4 * 1024;
inline constexpr std::size_t kMetadataMaxBytes = 256 * 1024;
inline constexpr std::size_t kKeyMaxBytes = 128;

// JSON from anywhere outside this process.
inline constexpr std::size_t kJsonMaxDepth = 64;

// Frames on the hub's socket. A request carries one body (each byte may be escaped to six);
// an answer carries one page.
inline constexpr std::size_t kFrameMaxBytes = 8 * 1024 * 1024;
inline constexpr std::size_t kPageMaxBytes = 1024 * 1024;
inline constexpr std::size_t kPageMaxRows = 1000;

// The hub.
inline constexpr std::size_t kConnectionsMax = 4096;
inline constexpr std::size_t kRequestsInFlightPerConnectionMax = 4096;
inline constexpr std::size_t kUnsentBytesPerConnectionMax = 32 * 1024 * 1024;
inline constexpr std::size_t kInputBytesPerTurnMax = 256 * 1024;
inline constexpr std::size_t kBatchRequestsMax = 1024;
inline constexpr std::size_t kBatchRequestsPerConnectionMax = 256;
inline constexpr std::size_t kBatchAnswerBytesMax = 4 * 1024 * 1024;
inline constexpr std::size_t kQueuedRequestsPerConnectionMax = 512;  // then its input is left in the socket
inline constexpr Duration kHelloDeadline = 10s;
inline constexpr Duration kFrameDeadline = 30s;  // from the first byte of a frame to its last
inline constexpr Duration kHubIdleExit = 30s;
inline constexpr Duration kWaitMax = 24h;

// Clients of the hub.
inline constexpr Duration kHubStartDeadline = 10s;
inline constexpr Duration kClientGiveUpAfter = 30s;
inline constexpr Duration kReconnectFirstDelay = 2ms;
inline constexpr Duration kReconnectMaxDelay = 100ms;

// Teams.
inline constexpr std::size_t kMembersPerTeamMax = 1024;
inline constexpr std::size_t kTasksPerTeamMax = 1'000'000;
inline constexpr std::size_t kBlockersPerTaskMax = 1024;
inline constexpr Duration kShutdownAnswerDeadline = 10s;
inline constexpr Duration kOrphanWarnAge = 1h;

// Messages: how long a delivered message may stay unseen between turns, and how often it is
// handed out before it becomes a dead letter.
inline constexpr Duration kRedeliverAfter = 120s;
inline constexpr int kDeliveriesMax = 3;

// Turns: how much of a turn's text the journal keeps; the transcript has all of it.
inline constexpr std::size_t kTurnTextMaxBytes = 64 * 1024;

// The home.
inline constexpr std::size_t kHubLogMaxBytes = 4 * 1024 * 1024;
inline constexpr Duration kRetention = 30 * 24h;
inline constexpr std::size_t kDiskFreeWarnBytes = 512UL * 1024 * 1024;

}  // namespace teamster::limits
