// Dialect: a JSON Schema of draft 7 or 2020-12, rewritten into the one form that the checker
// is given. Structure stays structure; keywords that look at one value alone become rules,
// named by their number. Pure; refuses what it does not understand instead of passing it by.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/result.h"

namespace teamster::schema {

// Keywords of the rewritten form.
inline constexpr const char* kRules = "@rules";            // a list of numbers of rules
inline constexpr const char* kReferences = "@references";  // every schema that a $ref leads to

// The keyword of a rule for a schema that nothing conforms to (`false`).
inline constexpr const char* kNever = "@never";

struct Rule {
  std::string keyword;  // type, enum, const, pattern, minimum, …
  Json value;
};

struct Canonical {
  Json document;
  std::vector<Rule> rules;
  bool has_name_patterns = false;  // patternProperties or propertyNames
  bool has_unique_items = false;
};

Result<Canonical> canonical_schema(const Json& document);

}  // namespace teamster::schema
