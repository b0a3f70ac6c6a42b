// Limits of skills alone: those of the Agent Skills format, and ours. What other modules know too is in base/limits.h,
// which every source of the program includes.
#pragma once

#include <cstddef>

namespace teamster::limits {

// The format's, in characters.
inline constexpr std::size_t kSkillNameMax = 64;
inline constexpr std::size_t kSkillDescriptionMax = 1024;
inline constexpr std::size_t kSkillCompatibilityMax = 500;
inline constexpr std::size_t kSkillLinesAdvised = 500;  // of a body; more is no mistake

// Ours.
inline constexpr std::size_t kSkillResourceMaxBytes = 1024 * 1024;
inline constexpr std::size_t kPermanentSignalMaxCharacters = 200;  // of a signal that a permanent task keeps
inline constexpr std::size_t kSkillResourcesMax = 256;
inline constexpr int kSkillDepthMax = 6;  // of directories with resources
inline constexpr std::size_t kSkillsPerPlaceMax = 1000;
inline constexpr std::size_t kLevelOneMinCharacters = 16'000;
inline constexpr std::size_t kLevelOnePercentOfWindow = 2;
inline constexpr std::size_t kRoutedTextMaxBytes = 64 * 1024;

}  // namespace teamster::limits
