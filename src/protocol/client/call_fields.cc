#include "protocol/client/call_fields.h"

#include <fmt/format.h>

namespace teamster::hub {

std::vector<std::string> texts_in(const Json& object, std::string_view field) {
  std::vector<std::string> texts;
  for (const auto& each : list_in(object, field))
    if (each.is_string()) texts.push_back(each.get<std::string>());
  return texts;
}

std::optional<std::string> optional_text_in(const Json& object, std::string_view field) {
  const Json& value = field_in(object, field);
  return value.is_string() ? std::optional(value.get<std::string>()) : std::nullopt;
}

std::optional<WallTime> time_in(const Json& object, std::string_view field) {
  return parse_iso8601(raw_text_in(object, field));
}

std::optional<std::int64_t> next_in(const Json& page) {
  const Json& next = field_in(page, "next");
  return next.is_number_integer() ? std::optional(next.get<std::int64_t>()) : std::nullopt;
}

Result<Json> take_list(Json& answer, const char* field) {
  const auto found = answer.is_object() ? answer.find(field) : answer.end();
  if (!answer.is_object() || found == answer.end() || !found->is_array())
    return fail(Code::internal, fmt::format("it has no list '{}'", field));
  return std::move(*found);
}

}  // namespace teamster::hub
