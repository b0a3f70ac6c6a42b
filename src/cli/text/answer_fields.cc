#include "cli/text/answer_fields.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/text/printable.h"

namespace teamster::cli {

std::string text_of(const Json& value) {
  if (value.is_string()) return printable_line(value.get_ref<const std::string&>());
  return value.is_null() ? std::string() : printable_line(dump_json(value));
}

std::string text_in(const Json& object, std::string_view name) { return text_of(field_in(object, name)); }

std::string joined_in(const Json& object, std::string_view name, std::string_view none) {
  std::vector<std::string> parts;
  for (const auto& value : list_in(object, name)) parts.push_back(text_of(value));
  return parts.empty() ? std::string(none) : join(parts, ", ");
}

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string joined_names(const std::vector<std::string>& names, std::string_view none) {
  std::vector<std::string> parts;
  for (const auto& name : names) parts.push_back(printable_line(name));
  return parts.empty() ? std::string(none) : join(parts, ", ");
}

std::string age_in(const Json& object, std::string_view name, WallTime now) {
  return age_text(parse_iso8601(raw_text_in(object, name)), now);
}

std::string age_text(std::optional<WallTime> then, WallTime now) {
  if (!then) return "?";
  const std::int64_t age_ms = std::max<std::int64_t>(0, now.unix_ms - then->unix_ms);
  return age_ms < 1000 ? "0 s" : describe_duration(std::chrono::milliseconds(age_ms));
}

}  // namespace teamster::cli
