// RunName: the checked name of a run, <workflow>-<yyyymmdd>-<4 hex>, where the workflow is a
// Name. Like a Name it can go into a path or a log line as it is.
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace teamster {

class RunName {
 public:
  static Result<RunName> parse(std::string_view text);

  const std::string& text() const { return text_; }
  std::string_view workflow() const;
  auto operator<=>(const RunName&) const = default;

 private:
  explicit RunName(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

// "<workflow>-<yyyymmdd>-", to which four hex digits make the name of a run that starts now.
std::string run_name_stem(std::string_view workflow, WallTime now);

}  // namespace teamster
