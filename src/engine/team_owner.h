// Whose team has the name that a run wants, and what to do about it, in words for the user. A function of
// what the hub says about the owner.
#pragma once

#include <optional>
#include <string>

#include "protocol/client/team_calls.h"

namespace teamster::engine {

// Without an owner it was made by hand.
std::string taken_text(const std::string& team, const std::optional<hub::TeamOwner>& owner);

}  // namespace teamster::engine
