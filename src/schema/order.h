// An order of JSON values, and their types in words. Pure functions. Values are equal when JSON
// Schema says so: 1 is 1.0, whatever holds it, and no other number is.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/json.h"

namespace teamster::schema {

// "object", "array", "string", "boolean", "integer", "number" or "null".
std::string_view type_of(const Json& value);
bool is_of_type(const Json& value, std::string_view type);

// Below, equal to or above 0, as strcmp. Adds to steps what it took.
int compare(const Json& a, const Json& b, std::size_t& steps);

}  // namespace teamster::schema
