// Pattern: a regular expression from outside. RE2 matches it, so neither expression nor text makes it run away: time is
// the text's length times the expression's at most, and memory has a limit. The language is ECMAScript's on Unicode
// characters, without lookaround and back-references (base/pattern_syntax.h). A value, cheap to copy; safe to use from
// many threads.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace teamster {

class Pattern {
 public:
  // Code::invalid names what cannot be used in it, and the place where there is one.
  static Result<Pattern> compile(std::string_view expression);

  // Whether it is found anywhere in the text. A byte that is not UTF-8 is read as U+FFFD, here and below.
  bool search(std::string_view text) const;
  bool matches_whole(std::string_view text) const;
  bool has_group() const;
  // What its first group holds where it is first found; nullopt when it is not found, or the
  // group has no part in it.
  std::optional<std::string> first_group(std::string_view text) const;

  // Steps that a byte of text may take at most.
  std::size_t steps_per_byte() const;
  const std::string& expression() const;

 private:
  struct Compiled;
  explicit Pattern(std::shared_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace teamster
