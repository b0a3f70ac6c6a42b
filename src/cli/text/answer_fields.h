// Reading the hub's answers for people. These never fail: what is missing or of another
// type (a newer hub) shows as nothing instead of breaking the output.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/json.h"
#include "base/json_fields.h"
#include "base/time.h"

namespace teamster::cli {

// A string, or anything else as text; safe to print on one line.
std::string text_of(const Json& value);
// The same of a field.
std::string text_in(const Json& object, std::string_view name);
// "1, 2, 3"; the empty list is `none`.
std::string joined_in(const Json& object, std::string_view name, std::string_view none = "none");

// "1 team", "2 teams"
std::string counted(std::int64_t count, std::string_view noun);

// How long before `now` that was: "5 m"; "?" where it is not known.
std::string age_text(std::optional<WallTime> then, WallTime now);
// The same of the time in the field.
std::string age_in(const Json& object, std::string_view name, WallTime now);

// Names, safe to print: "a, b".
std::string joined_names(const std::vector<std::string>& names, std::string_view none = "none");
// Numbers: "1, 2, 3".
template <class Tag>
std::string joined_ids(const std::vector<Id<Tag>>& ids, std::string_view none = "none") {
  std::vector<std::string> numbers;
  for (const auto id : ids) numbers.push_back(std::to_string(id.value));
  return joined_names(numbers, none);
}

}  // namespace teamster::cli
