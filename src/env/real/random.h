// Random bytes from the kernel, fetched some at a time so that an id costs no system
// call. Owned by real::World; used from one thread. A forked child must not share it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "env/random.h"

namespace teamster::env::real {

class Random : public env::Random {
 public:
  std::uint64_t next() override;

 private:
  // 256 bytes is the most getrandom gives without a chance of a short answer.
  std::array<std::uint64_t, 32> buffer_{};
  std::size_t used_ = buffer_.size();
};

}  // namespace teamster::env::real
