#include "base/json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_reader.h"
#include "base/json_text.h"

namespace teamster {
namespace {

std::string_view type_name(const Json& value) {
  if (value.is_number_integer()) return "a whole number";
  if (value.is_number()) return "a number";
  if (value.is_string()) return "a string";
  if (value.is_boolean()) return "true or false";
  if (value.is_array()) return "a list";
  return value.is_object() ? "an object" : "null";
}

const Json* find(const Json& object, std::string_view name) {
  if (!object.is_object()) return nullptr;
  const auto it = object.find(name);
  return it == object.end() || it->is_null() ? nullptr : &*it;
}

tl::unexpected<Error> missing(std::string_view name, std::string_view expected) {
  return fail(Code::invalid, fmt::format("field '{}' is missing, expected {}", name, expected));
}

tl::unexpected<Error> mistyped(std::string_view name, std::string_view expected, const Json& value) {
  return fail(Code::invalid, fmt::format("field '{}' is {}, expected {}", name, type_name(value), expected));
}

}  // namespace

Result<Json> parse_json(std::string_view text, JsonLimits limits) {
  if (text.size() > limits.max_bytes)
    return fail(Code::invalid, fmt::format("JSON of {} bytes is over the limit of {}", text.size(), limits.max_bytes));
  return JsonReader(text, limits.max_depth).read();
}

std::string dump_json(const Json& json) {
  std::string text;
  append_json(text, json);
  return text;
}

std::string dump_json_pretty(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace); }

Result<std::optional<std::string>> optional_string_field(const Json& object, std::string_view name) {
  const Json* value = find(object, name);
  if (value == nullptr) return std::optional<std::string>();
  if (!value->is_string()) return mistyped(name, "a string", *value);
  return std::optional<std::string>(value->get_ref<const std::string&>());
}

Result<std::string> string_field(const Json& object, std::string_view name) {
  auto value = TRY(optional_string_field(object, name));
  if (!value) return missing(name, "a string");
  return *std::move(value);
}

Result<std::optional<std::int64_t>> optional_integer_field(const Json& object, std::string_view name) {
  const Json* value = find(object, name);
  if (value == nullptr) return std::optional<std::int64_t>();
  const bool fits = value->is_number_integer() &&
                    !(value->is_number_unsigned() && value->get<std::uint64_t>() > std::uint64_t{INT64_MAX});
  if (!fits) return mistyped(name, "a whole number", *value);
  return std::optional<std::int64_t>(value->get<std::int64_t>());
}

Result<std::int64_t> integer_field(const Json& object, std::string_view name) {
  const auto value = TRY(optional_integer_field(object, name));
  if (!value) return missing(name, "a whole number");
  return *value;
}

Result<bool> flag_field(const Json& object, std::string_view name) {
  const Json* value = find(object, name);
  if (value == nullptr) return false;
  if (!value->is_boolean()) return mistyped(name, "true or false", *value);
  return value->get<bool>();
}

}  // namespace teamster
