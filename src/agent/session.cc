#include "agent/session.h"

#include <algorithm>
#include <array>

namespace teamster::agent {

std::string_view to_string(Activity::Kind kind) {
  static constexpr std::array<std::string_view, 6> kNames = {"text",        "thinking", "tool_call",
                                                             "tool_result", "status",   "noise"};
  return kNames[static_cast<std::size_t>(kind)];
}

constexpr std::array<std::string_view, 15> kFaultNames = {
    "none",       "interrupted", "login", "credit",  "model",  "program",  "context", "rate_limit",
    "overloaded", "provider",    "limit", "crashed", "silent", "protocol", "script"};

std::string_view to_string(Fault fault) { return kFaultNames[static_cast<std::size_t>(fault)]; }

Fault fault_from_string(std::string_view name) {
  const auto found = std::find(kFaultNames.begin(), kFaultNames.end(), name);
  return found == kFaultNames.end() ? Fault::crashed : static_cast<Fault>(found - kFaultNames.begin());
}

bool is_weather(Fault fault) {
  return fault == Fault::rate_limit || fault == Fault::overloaded || fault == Fault::provider;
}

bool is_mended_outside(Fault fault) {
  return fault == Fault::login || fault == Fault::credit || fault == Fault::model || fault == Fault::program;
}

}  // namespace teamster::agent
