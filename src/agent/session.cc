#include "agent/session.h"

#include <algorithm>
#include <array>

#include "base/json_fields.h"

namespace teamster::agent {

Json Usage::json() const {
  Json out = {{"input_tokens", input_tokens},
              {"output_tokens", output_tokens},
              {"cache_read_tokens", cache_read_tokens},
              {"cache_write_tokens", cache_write_tokens}};
  if (cost_usd) out["cost_usd"] = *cost_usd;
  return out;
}

Usage Usage::read(const Json& json) {
  Usage usage;
  usage.input_tokens = number_in(json, "input_tokens");
  usage.output_tokens = number_in(json, "output_tokens");
  usage.cache_read_tokens = number_in(json, "cache_read_tokens");
  usage.cache_write_tokens = number_in(json, "cache_write_tokens");
  if (field_in(json, "cost_usd").is_number()) usage.cost_usd = real_in(json, "cost_usd");
  return usage;
}

std::string_view to_string(Activity::Kind kind) {
  static constexpr std::array<std::string_view, 6> kNames = {"text",        "thinking", "tool_call",
                                                             "tool_result", "status",   "noise"};
  return kNames[static_cast<std::size_t>(kind)];
}

constexpr std::array<std::string_view, 11> kFaultNames = {"none",       "interrupted", "login", "rate_limit",
                                                           "overloaded", "provider",    "limit", "crashed",
                                                           "silent",     "protocol",    "script"};

std::string_view to_string(Fault fault) { return kFaultNames[static_cast<std::size_t>(fault)]; }

Fault fault_from_string(std::string_view name) {
  const auto found = std::find(kFaultNames.begin(), kFaultNames.end(), name);
  return found == kFaultNames.end() ? Fault::crashed : static_cast<Fault>(found - kFaultNames.begin());
}

}  // namespace teamster::agent
