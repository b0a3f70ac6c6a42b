// From errno to an Error a person can act on. Pure; shared by the real files and the
// simulated ones, so that an injected fault reads exactly like a real one.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace teamster::env {

// "cannot <action> <path>: <reason>", with the next step for full, read-only and closed places.
Error file_error(int error_number, std::string_view action, std::string_view path);

// The system's words for an errno, without the global state of strerror.
std::string describe_errno(int error_number);

}  // namespace teamster::env
