// Who runs a member: its record, and whether the host that wrote it lives. Used by the
// commands that talk to a member's host through the hub.
#pragma once

#include <optional>
#include <string>

#include "agent/record.h"
#include "cli/context.h"

namespace teamster::cli {

struct Presence {
  std::optional<agent::Record> record;
  bool host_lives = false;
};

Result<Presence> presence_of(const Context& context, const std::string& team, const std::string& member);

// Code::refused, with the next step, when nobody runs it.
Result<agent::Record> require_host(const Context& context, const std::string& team, const std::string& member);

}  // namespace teamster::cli
