// Random: bytes nobody can guess (real), or the same ones for the same seed (sim).
// Driven by the loop thread of its world.
#pragma once

#include <cstdint>
#include <string>

namespace teamster::env {

class Random {
 public:
  virtual ~Random() = default;
  virtual std::uint64_t next() = 0;

  // `bytes` random bytes as twice as many hex digits.
  std::string hex(std::size_t bytes);
};

}  // namespace teamster::env
