// Limits of this module alone, with their units: what is read and kept of other tools' files. Those that others share
// are in base/limits.h.
#pragma once

#include <cstddef>

namespace teamster::limits {

inline constexpr std::size_t kForeignCacheMaxBytes = 256 * 1024 * 1024;  // of what is known of teams; more is read anew

}  // namespace teamster::limits
