#include "env/sim/sim_random.h"

#include <bit>

#include "base/check.h"

namespace teamster::env::sim {
namespace {

std::uint64_t splitmix(std::uint64_t& state) {
  state += 0x9E3779B97F4A7C15;
  std::uint64_t mixed = state;
  mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EB;
  return mixed ^ (mixed >> 31U);
}

// FNV-1a. Not std::hash, which another library or version may compute differently.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
  return hash;
}

}  // namespace

SimRandom::SimRandom(std::uint64_t seed) : seed_(seed) {
  for (auto& word : state_) word = splitmix(seed);
}

std::uint64_t SimRandom::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17U;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

std::uint64_t SimRandom::below(std::uint64_t bound) {
  CHECK(bound > 0);
  // Slightly uneven for huge bounds, which is of no concern here.
  return next() % bound;
}

bool SimRandom::chance(double probability) {
  constexpr double kSteps = 9007199254740992.0;  // 2^53
  return static_cast<double>(next() >> 11U) / kSteps < probability;
}

SimRandom SimRandom::fork(std::string_view label) const {
  std::uint64_t mixed = seed_ ^ hash_of(label);
  return SimRandom(splitmix(mixed));
}

}  // namespace teamster::env::sim
