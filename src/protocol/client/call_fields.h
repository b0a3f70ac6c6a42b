// Fields of calls and their answers: what the codecs of *_calls.cc share. Left out is what says nothing; read is what
// is there. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/ids.h"
#include "base/json.h"
#include "base/json_fields.h"
#include "base/result.h"
#include "base/time.h"

namespace teamster::hub {

// A name that is empty is left out: no name is.
inline void put_name(Json& object, const char* field, std::string name) {
  if (!name.empty()) object[field] = std::move(name);
}

template <class T>
void put(Json& object, const char* field, std::optional<T> value) {
  if (value) object[field] = *std::move(value);
}

template <class Tag>
void put(Json& object, const char* field, std::optional<Id<Tag>> value) {
  if (value) object[field] = value->value;
}

inline void put_flag(Json& object, const char* field, bool value) {
  if (value) object[field] = true;
}

// A place in a list; 0 is its beginning.
inline void put_after(Json& object, std::int64_t after) {
  if (after != 0) object["after"] = after;
}

template <class Tag>
Json numbers_of(const std::vector<Id<Tag>>& ids) {
  Json list = Json::array();
  for (const auto id : ids) list.push_back(id.value);
  return list;
}

template <class Ident>
std::vector<Ident> ids_in(const Json& object, std::string_view field) {
  std::vector<Ident> ids;
  for (const auto& each : list_in(object, field))
    if (each.is_number_integer()) ids.emplace_back(each.get<std::int64_t>());
  return ids;
}

std::vector<std::string> texts_in(const Json& object, std::string_view field);
std::optional<std::string> optional_text_in(const Json& object, std::string_view field);
// Where the hub names a time; another hub's form of it is none.
std::optional<WallTime> time_in(const Json& object, std::string_view field);
// `next` of a page.
std::optional<std::int64_t> next_in(const Json& page);
// Takes the list out of an answer, so that its items can be moved.
Result<Json> take_list(Json& answer, const char* field);

}  // namespace teamster::hub
