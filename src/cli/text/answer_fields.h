// Reading the hub's answers for people. These never fail: what is missing or of another
// type (a newer hub) shows as nothing instead of breaking the output.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/json_fields.h"
#include "base/time.h"

namespace teamster::cli {

// A string, or a number as text; safe to print on one line.
std::string text_in(const Json& object, std::string_view name);
// "1, 2, 3"; the empty list is `none`.
std::string joined_in(const Json& object, std::string_view name, std::string_view none = "none");

// "1 team", "2 teams"
std::string counted(std::int64_t count, std::string_view noun);

// How long before `now` the time in the field was: "5 m"; "?" when it is no time.
std::string age_in(const Json& object, std::string_view name, WallTime now);

}  // namespace teamster::cli
