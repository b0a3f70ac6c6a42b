// Schema: a compiled JSON Schema (draft 7 or 2020-12, see docs/formats/json-schema.md) that
// says what is wrong with a value in words an agent can act on. A value, moved, not copied; many
// threads may check with it. Neither schema nor value can make it crash or run away: both come
// from outside.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace teamster::schema {

class Schema {
 public:
  // Code::invalid names the place in the schema: unknown forms of a keyword, references that
  // lead out of the document, nowhere or round in circles, and what is over the limits.
  static Result<Schema> compile(const Json& document);
  Schema(Schema&&) noexcept;
  Schema& operator=(Schema&&) noexcept;
  ~Schema();

  // Empty when the value conforms. Otherwise one line for each problem, the innermost only and
  // each once: where ('#/a/0', a JSON pointer) and what was expected. At most
  // limits::kSchemaProblemsMax.
  std::vector<std::string> check(const Json& value) const;

 private:
  struct Compiled;
  explicit Schema(std::unique_ptr<const Compiled> compiled);
  std::unique_ptr<const Compiled> compiled_;
};

}  // namespace teamster::schema
