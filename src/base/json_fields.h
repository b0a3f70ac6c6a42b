// Fields of JSON that others wrote, read without failing: what is missing or of another type is as nothing. For what
// must be there, see base/json.h. Functions on values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json.h"

namespace teamster {

// The field whatever it is, else null.
const Json& field_in(const Json& object, std::string_view name);
// A string as it is.
std::string raw_text_in(const Json& object, std::string_view name);
std::int64_t number_in(const Json& object, std::string_view name);
double real_in(const Json& object, std::string_view name);
bool flag_in(const Json& object, std::string_view name);
// The array or object, else an empty one.
const Json& list_in(const Json& object, std::string_view name);
const Json& object_in(const Json& object, std::string_view name);

}  // namespace teamster
