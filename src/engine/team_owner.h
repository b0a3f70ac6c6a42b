// Whose team has the name that a run wants, and what to do about it, in words for the user. A function of what
// `team.status` says about the owner.
#pragma once

#include <string>

#include "base/json.h"

namespace teamster::engine {

std::string taken_text(const std::string& team, const Json& owner);

}  // namespace teamster::engine
