#include "agent/session.h"

#include <algorithm>
#include <array>

namespace teamster::agent {

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
