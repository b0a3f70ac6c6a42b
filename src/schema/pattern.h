// Pattern: a regular expression of a schema (ECMAScript, on bytes), matched in time that does
// not explode and without recursion by the length of the text. A value, cheap to copy.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace teamster::schema {

class Pattern {
 public:
  // Code::invalid when it is none, or has back-references: these cannot be matched in bounded time.
  static Result<Pattern> compile(const std::string& expression);

  // Whether it is found anywhere in the text. A text over limits::kSchemaPatternTextMaxBytes
  // does not match.
  bool matches(std::string_view text) const;
  const std::string& expression() const;

 private:
  struct Compiled;
  explicit Pattern(std::shared_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace teamster::schema
