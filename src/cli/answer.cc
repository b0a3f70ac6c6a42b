#include "cli/answer.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/printable.h"

namespace teamster::cli {
namespace {

const Json* find(const Json& object, std::string_view name) {
  if (!object.is_object()) return nullptr;
  const auto it = object.find(name);
  return it == object.end() ? nullptr : &*it;
}

std::string text_of(const Json& value) {
  if (value.is_string()) return printable_line(value.get_ref<const std::string&>());
  return value.is_null() ? std::string() : printable_line(dump_json(value));
}

}  // namespace

std::string text_in(const Json& object, std::string_view name) {
  const Json* value = find(object, name);
  return value == nullptr ? std::string() : text_of(*value);
}

std::string raw_text_in(const Json& object, std::string_view name) {
  const Json* value = find(object, name);
  return value == nullptr || !value->is_string() ? std::string() : value->get<std::string>();
}

std::int64_t number_in(const Json& object, std::string_view name) {
  const Json* value = find(object, name);
  return value == nullptr || !value->is_number() ? 0 : value->get<std::int64_t>();
}

bool flag_in(const Json& object, std::string_view name) {
  const Json* value = find(object, name);
  return value != nullptr && value->is_boolean() && value->get<bool>();
}

const Json& list_in(const Json& object, std::string_view name) {
  static const Json kNone = Json::array();
  const Json* value = find(object, name);
  return value == nullptr || !value->is_array() ? kNone : *value;
}

const Json& object_in(const Json& object, std::string_view name) {
  static const Json kNone = Json::object();
  const Json* value = find(object, name);
  return value == nullptr || !value->is_object() ? kNone : *value;
}

std::string joined_in(const Json& object, std::string_view name, std::string_view none) {
  std::vector<std::string> parts;
  for (const auto& value : list_in(object, name)) parts.push_back(text_of(value));
  return parts.empty() ? std::string(none) : join(parts, ", ");
}

std::string counted(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string age_in(const Json& object, std::string_view name, WallTime now) {
  const auto then = parse_iso8601(raw_text_in(object, name));
  if (!then) return "?";
  const std::int64_t age_ms = std::max<std::int64_t>(0, now.unix_ms - then->unix_ms);
  return age_ms < 1000 ? "0 s" : describe_duration(std::chrono::milliseconds(age_ms));
}

}  // namespace teamster::cli
