// Limits of verification alone: what a manifest may be, and what a check may take and leave behind. Those that others
// must know too are in base/limits.h. Reaching one is an error or is said in the evidence. Constants.
#pragma once

#include <chrono>
#include <cstddef>

#include "base/time.h"

namespace teamster::verify {

using namespace std::chrono_literals;

// A manifest.
inline constexpr std::size_t kManifestMaxBytes = 4 * 1024 * 1024;
inline constexpr std::size_t kManifestLinesMax = 100'000;
inline constexpr std::size_t kCriteriaMax = 2000;
inline constexpr std::size_t kCriterionTextMaxBytes = 16 * 1024;
inline constexpr std::size_t kCommandMaxBytes = 64 * 1024;  // the system takes twice this as one word
inline constexpr std::size_t kPromptMaxBytes = 64 * 1024;
inline constexpr std::size_t kIntentKeptBytes = 8 * 1024;
inline constexpr std::size_t kManifestErrorsMax = 100;
inline constexpr std::size_t kIdDigitsMax = 4;
inline constexpr std::size_t kCoveredByMax = 16;

// A check.
inline constexpr Duration kCheckMax = 10min;
inline constexpr Duration kReviewMax = 30min;
inline constexpr std::size_t kEvidenceHeadBytes = 8 * 1024;
inline constexpr std::size_t kEvidenceTailBytes = 24 * 1024;
inline constexpr std::size_t kFailLineKeptBytes = 400;
inline constexpr std::size_t kChecksAtOnceMax = 256;
inline constexpr std::size_t kReviewsAtOnce = 4;
inline constexpr int kVerifyDepthMax = 3;  // of checks that verify manifests themselves

// The tree.
inline constexpr Duration kTreeLookEvery = 200ms;  // at most, while checks run
inline constexpr Duration kTreeLookMax = 2min;
inline constexpr std::size_t kTreeStatusMaxBytes = 8 * 1024 * 1024;
inline constexpr std::size_t kTreePathsNamedMax = 20;

}  // namespace teamster::verify
