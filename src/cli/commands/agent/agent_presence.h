// Who runs a member: its record, and whether the host that wrote it lives. Used by the
// commands that talk to a member's host through the hub.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "agent/record.h"
#include "base/time.h"
#include "cli/framework/context.h"

namespace teamster::cli {

struct Presence {
  std::optional<agent::Record> record;
  bool host_lives = false;
};

// What names the team among those of all projects, from what was typed.
Result<std::string> ref_of_team(const Context& context, const std::string& team);

Result<Presence> presence_of(const Context& context, const std::string& team, const std::string& member);

// Looks now, and whenever something in the member's directory changes, until `is_enough` says
// so; false when the time is up.
Result<bool> wait_for_presence(const Context& context, const std::string& team, const std::string& member,
                               Duration timeout, const std::function<bool(const Presence&)>& is_enough);

// Code::refused, with the next step, when nobody runs it.
Result<agent::Record> require_host(const Context& context, const std::string& team, const std::string& member);

}  // namespace teamster::cli
