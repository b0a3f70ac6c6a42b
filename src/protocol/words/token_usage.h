// TokenUsage: what an agent has used, of one turn or of many, as hosts tell it to the hub and the hub tells it again.
// A value with its codec.
#pragma once

#include <cstdint>
#include <optional>

#include "base/json.h"

namespace teamster {

struct TokenUsage {
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
  std::int64_t cache_read_tokens = 0;
  std::int64_t cache_write_tokens = 0;
  std::optional<double> cost_usd = {};  // empty: the agent does not say

  Json json() const;
  // What is missing counts as nothing.
  static TokenUsage read(const Json& usage);
};

}  // namespace teamster
