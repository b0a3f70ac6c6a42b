#include "env/real/random.h"

#include <sys/random.h>

#include <cerrno>
#include <utility>

#include "base/check.h"

namespace teamster::env::real {

std::uint64_t Random::next() {
  if (used_ == buffer_.size()) {
    constexpr auto kBytes = static_cast<ssize_t>(sizeof(buffer_));
    ssize_t got = -1;
    do {
      got = ::getrandom(buffer_.data(), sizeof(buffer_), 0);
    } while (got < 0 && errno == EINTR);
    CHECK(got == kBytes);
    used_ = 0;
  }
  // Wiped, so that a memory dump does not tell the secrets already handed out.
  return std::exchange(buffer_[used_++], 0);
}

}  // namespace teamster::env::real
