// Name: a checked name of a team, member, role or workflow ([a-z0-9][a-z0-9-]{0,63}).
// A Name can go into a path or a log line as it is; unchecked text cannot become one.
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "base/result.h"

namespace teamster {

class Name {
 public:
  // `what` says whose name it is ("team", "member"): it stands in the error.
  static Result<Name> parse(std::string_view what, std::string_view text);

  const std::string& text() const { return text_; }
  auto operator<=>(const Name&) const = default;

 private:
  explicit Name(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

}  // namespace teamster
