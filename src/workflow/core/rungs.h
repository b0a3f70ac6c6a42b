// Rungs: how a turn is tried once more, by the words that the journal has for it. Constants, for who decides
// (ladder.h), records and shows it.
#pragma once

namespace teamster::workflow {

// How a turn is tried once more; empty: it is the first try.
// The ladder's first rungs; what comes above them is a question or another task graph.
namespace rung {
inline constexpr const char* kRetry = "retry";        // L0: the same member, the same words
inline constexpr const char* kMend = "mend";          // L1: the same member, told what is missing
inline constexpr const char* kFresh = "fresh";        // L2: a member that is made for this try
inline constexpr const char* kLost = "lost";          // the same member, which had lost its conversation
inline constexpr const char* kWaited = "waited";      // the same member, after the provider was away
inline constexpr const char* kAnswered = "answered";  // the same member, whose question was answered
}  // namespace rung

}  // namespace teamster::workflow
