#include "agent/session.h"

#include <array>

namespace teamster::agent {

Json Usage::json() const {
  Json out = {{"input_tokens", input_tokens},
              {"output_tokens", output_tokens},
              {"cache_read_tokens", cache_read_tokens},
              {"cache_write_tokens", cache_write_tokens}};
  if (cost_usd) out["cost_usd"] = *cost_usd;
  return out;
}

std::string_view to_string(Activity::Kind kind) {
  static constexpr std::array<std::string_view, 6> kNames = {"text",        "thinking", "tool_call",
                                                             "tool_result", "status",   "noise"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string_view to_string(Fault fault) {
  static constexpr std::array<std::string_view, 11> kNames = {"none",       "interrupted", "login", "rate_limit",
                                                              "overloaded", "provider",    "limit", "crashed",
                                                              "silent",     "protocol",    "script"};
  return kNames[static_cast<std::size_t>(fault)];
}

}  // namespace teamster::agent
