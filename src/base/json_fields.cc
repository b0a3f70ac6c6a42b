#include "base/json_fields.h"

#include <nlohmann/json.hpp>

namespace teamster {

const Json& field_in(const Json& object, std::string_view name) {
  static const Json kNothing;
  if (!object.is_object()) return kNothing;
  const auto found = object.find(name);
  return found == object.end() ? kNothing : *found;
}

std::string raw_text_in(const Json& object, std::string_view name) {
  const Json& value = field_in(object, name);
  return value.is_string() ? value.get<std::string>() : std::string();
}

std::int64_t number_in(const Json& object, std::string_view name) {
  const Json& value = field_in(object, name);
  return value.is_number() ? value.get<std::int64_t>() : 0;
}

double real_in(const Json& object, std::string_view name) {
  const Json& value = field_in(object, name);
  return value.is_number() ? value.get<double>() : 0;
}

bool flag_in(const Json& object, std::string_view name) {
  const Json& value = field_in(object, name);
  return value.is_boolean() && value.get<bool>();
}

const Json& list_in(const Json& object, std::string_view name) {
  static const Json kNone = Json::array();
  const Json& value = field_in(object, name);
  return value.is_array() ? value : kNone;
}

const Json& object_in(const Json& object, std::string_view name) {
  static const Json kNone = Json::object();
  const Json& value = field_in(object, name);
  return value.is_object() ? value : kNone;
}

}  // namespace teamster
