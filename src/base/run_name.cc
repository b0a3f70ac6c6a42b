#include "base/run_name.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/name.h"
#include "base/text.h"

namespace teamster {
namespace {

constexpr std::size_t kDateDigits = 8;
constexpr std::size_t kHexDigits = 4;
constexpr std::size_t kTailBytes = 1 + kDateDigits + 1 + kHexDigits;

bool is_date_digit(char c) { return c >= '0' && c <= '9'; }
bool is_run_hex_digit(char c) { return is_date_digit(c) || (c >= 'a' && c <= 'f'); }

// "-20261116-1a2b"
bool is_tail(std::string_view text) {
  const auto date = text.substr(1, kDateDigits);
  const auto hex = text.substr(kTailBytes - kHexDigits);
  return text[0] == '-' && std::all_of(date.begin(), date.end(), is_date_digit) && text[1 + kDateDigits] == '-' &&
         std::all_of(hex.begin(), hex.end(), is_run_hex_digit);
}

}  // namespace

Result<RunName> RunName::parse(std::string_view text) {
  if (text.size() > kTailBytes && is_tail(text.substr(text.size() - kTailBytes)) &&
      Name::parse("workflow", text.substr(0, text.size() - kTailBytes)))
    return RunName(std::string(text));
  return fail(Code::invalid, fmt::format("{} is not the name of a run", quoted(text, 80)),
              "It is a workflow, a date and four hex digits, as in implement-spec-20261116-1a2b");
}

std::string run_name_stem(std::string_view workflow, WallTime now) {
  const std::string day = to_iso8601(now);  // 2026-11-16T…
  return fmt::format("{}-{}{}{}-", workflow, day.substr(0, 4), day.substr(5, 2), day.substr(8, 2));
}

std::string_view RunName::workflow() const { return std::string_view(text_).substr(0, text_.size() - kTailBytes); }

}  // namespace teamster
