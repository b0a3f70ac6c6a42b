#include "protocol/words/record_kinds.h"

#include <algorithm>
#include <array>

namespace teamster {

bool is_of_hub_alone(std::string_view kind) {
  return kind == kind::kRunLeased || kind == kind::kRunRenewed || kind == kind::kRunReleased || kind == kind::kRunTold;
}

bool is_from_others(std::string_view kind) { return kind == kind::kRunTold || kind == kind::kRunLeased; }

bool is_reserved_kind(std::string_view kind) {
  constexpr std::array<std::string_view, 6> kFamilies{"team.", "member.", "message.", "task.", "stale.", "history."};
  return kind == kind::kRunStarted || is_of_hub_alone(kind) ||
         std::any_of(kFamilies.begin(), kFamilies.end(), [&](auto family) { return kind.starts_with(family); });
}

}  // namespace teamster
