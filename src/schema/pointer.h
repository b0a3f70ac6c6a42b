// JSON pointers (RFC 6901): places in a JSON document, as text. Pure functions.
// They never fail: what leads nowhere is a null pointer.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace teamster::schema {

// One step of a pointer: '~' and '/' written as "~0" and "~1".
std::string escaped_token(std::string_view name);

// The place that "/a/0" leads to, also with %-encoded bytes as in a URI; nullptr when there is
// none. The empty pointer is the document itself.
const Json* find_by_pointer(const Json& document, std::string_view pointer);

}  // namespace teamster::schema
