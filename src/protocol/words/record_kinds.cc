#include "protocol/words/record_kinds.h"

namespace teamster {

bool is_of_hub_alone(std::string_view kind) {
  return kind == kind::kRunLeased || kind == kind::kRunRenewed || kind == kind::kRunReleased || kind == kind::kRunTold;
}

}  // namespace teamster
