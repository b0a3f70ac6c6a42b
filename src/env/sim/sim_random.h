// SimRandom: the same numbers for the same seed (xoshiro256**, seeded by splitmix64).
// A value: copying it copies the sequence. Each part of the world gets its own stream
// by fork, so that one part drawing more does not change what the others see.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "env/random.h"

namespace teamster::env::sim {

class SimRandom : public env::Random {
 public:
  explicit SimRandom(std::uint64_t seed);

  std::uint64_t next() override;
  // Below `bound`, which is at least 1.
  std::uint64_t below(std::uint64_t bound);
  bool chance(double probability);
  // An independent sequence that depends on this one's seed and the label alone.
  SimRandom fork(std::string_view label) const;

  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::uint64_t seed_;
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace teamster::env::sim
