#include "protocol/client/call.h"

#include <fmt/format.h>

namespace teamster::hub {

Error unreadable_answer(const char* operation, const Error& why) {
  return {Code::internal, fmt::format("the hub's answer to {} cannot be read: {}", operation, why.what),
          "Run `teamster doctor`"};
}

}  // namespace teamster::hub
