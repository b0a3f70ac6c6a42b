// The flags with which claude, or the scripted agent in its place, is started for a
// member. Pure.
#pragma once

#include <string>
#include <vector>

#include "agent/driver.h"

namespace teamster::agent {

// Without the program itself. `session_id` is used for a new conversation.
std::vector<std::string> claude_arguments(const StartOptions& options, const std::string& session_id);

// A random (version 4) UUID from 32 hex digits.
std::string uuid_of(const std::string& hex);

}  // namespace teamster::agent
