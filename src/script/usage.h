// Usage: what a turn or a session cost, as a script says it. A value; adding up is all it
// can do.
#pragma once

#include <cstdint>

namespace teamster::script {

struct Usage {
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::int64_t cache_read_input_tokens = 0;
  std::int64_t cache_creation_input_tokens = 0;
  double cost_usd = 0;

  Usage& operator+=(const Usage& other) {
    input_tokens += other.input_tokens;
    output_tokens += other.output_tokens;
    cache_read_input_tokens += other.cache_read_input_tokens;
    cache_creation_input_tokens += other.cache_creation_input_tokens;
    cost_usd += other.cost_usd;
    return *this;
  }
  bool operator==(const Usage&) const = default;
};

}  // namespace teamster::script
