#include "base/name.h"

#include <fmt/format.h>

#include "base/limits.h"
#include "base/text.h"

namespace teamster {
namespace {

bool is_lower_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool is_name(std::string_view text) {
  if (text.empty() || text.size() > limits::kNameMaxBytes) return false;
  if (!is_lower_or_digit(text[0])) return false;
  for (const char c : text)
    if (!is_lower_or_digit(c) && c != '-') return false;
  return true;
}

}  // namespace

Result<Name> Name::parse(std::string_view what, std::string_view text) {
  if (is_name(text)) return Name(std::string(text));
  return fail(Code::invalid, fmt::format("{} is not a valid {} name", quoted(text, 80), what),
              "Use 1 to 64 of a-z, 0-9 and '-', starting with a letter or digit");
}

}  // namespace teamster
