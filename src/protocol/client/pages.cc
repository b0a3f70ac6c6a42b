#include "protocol/client/pages.h"

#include <fmt/format.h>

namespace teamster::hub {

Result<bool> PageCursor::advance(std::optional<std::int64_t> next) {
  if (!next) return false;
  if (*next <= after_)
    return fail(Code::internal, fmt::format("{} does not get past {}", operation_, after_), "Run `teamster doctor`");
  after_ = *next;
  return true;
}

}  // namespace teamster::hub
