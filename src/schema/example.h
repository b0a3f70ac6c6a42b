// Example: a small value that a JSON Schema allows, for stubs that a person goes on with. A text is the name of its
// property, a list has as many entries as it must have. Best effort: what is made is checked against the whole schema,
// and what cannot be made so is an error that says why. Pure, and bounded whatever the schema is.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace teamster::schema {

struct ExampleOptions {
  bool has_optional = false;  // properties that need not be there are, as far as they are declared
  // Whether a list has an entry that it need not have, by its path from the top: "plan/chapters".
  std::function<bool(const std::string& path)> is_filled = [](const std::string&) { return false; };
};

Result<Json> example_of(const Json& schema, const ExampleOptions& options = {});

// A text that the regular expression fits, or something like it: first of what may be chosen, as few as are allowed.
std::string text_like(std::string_view pattern);

}  // namespace teamster::schema
