#include "schema/spot.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "schema/pointer.h"

namespace teamster::schema {

std::string place_in(const std::string& place, std::string_view step) {
  return place.size() > kPlaceShownBytes ? place : place + "/" + escaped_token(step.substr(0, kPlaceShownBytes));
}

const Json* find(const Json& schema, const char* keyword) {
  const auto it = schema.find(keyword);
  return it == schema.end() ? nullptr : &*it;
}

bool is_list_of_names(const Json& value) {
  return value.is_array() && std::all_of(value.begin(), value.end(), [](const Json& each) { return each.is_string(); });
}

Result<std::size_t> count_at(const Spot& spot, const char* keyword, std::size_t otherwise) {
  const Json* value = find(spot.schema, keyword);
  if (value == nullptr) return otherwise;
  const bool is_count = value->is_number_unsigned() || (value->is_number_integer() && value->get<std::int64_t>() >= 0);
  if (!is_count) return refuse_form(spot.at(keyword), *value, "a whole number from 0");
  return value->get<std::size_t>();
}

tl::unexpected<Error> refuse(const std::string& place, std::string_view what, std::string next) {
  return fail(Code::invalid, fmt::format("schema at {}: {}", quoted(place, kPlaceShownBytes), what), std::move(next));
}

tl::unexpected<Error> refuse_form(const std::string& place, const Json& value, std::string_view expected) {
  return refuse(place, fmt::format("is {}, expected {}", quoted(dump_json(value), 60), expected));
}

}  // namespace teamster::schema
