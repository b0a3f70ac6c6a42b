#include "protocol/words/token_usage.h"

#include <nlohmann/json.hpp>

#include "base/json_fields.h"

namespace teamster {

Json TokenUsage::json() const {
  Json usage = {{"input_tokens", input_tokens},
                {"output_tokens", output_tokens},
                {"cache_read_tokens", cache_read_tokens},
                {"cache_write_tokens", cache_write_tokens}};
  if (cost_usd) usage["cost_usd"] = *cost_usd;
  return usage;
}

TokenUsage TokenUsage::read(const Json& usage) {
  TokenUsage out;
  out.input_tokens = number_in(usage, "input_tokens");
  out.output_tokens = number_in(usage, "output_tokens");
  out.cache_read_tokens = number_in(usage, "cache_read_tokens");
  out.cache_write_tokens = number_in(usage, "cache_write_tokens");
  if (field_in(usage, "cost_usd").is_number()) out.cost_usd = real_in(usage, "cost_usd");
  return out;
}

}  // namespace teamster
