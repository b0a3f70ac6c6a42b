#include "engine/expression.h"

#include <regex>

#include <fmt/format.h>

#include "base/limits.h"
#include "base/text.h"

namespace teamster::engine {
namespace {

using Match = std::match_results<std::string_view::const_iterator>;

Result<std::regex> compile(const std::string& pattern) {
  if (pattern.size() > limits::kPatternMaxBytes)
    return fail(Code::invalid, fmt::format("a regular expression has {} bytes, the limit is {}", pattern.size(),
                                           limits::kPatternMaxBytes));
  try {
    // __polynomial is libstdc++'s name for matching breadth first; its default backtracks without end.
    return std::regex(pattern, std::regex::ECMAScript | std::regex_constants::__polynomial);
  } catch (const std::regex_error&) {
    return fail(Code::invalid, fmt::format("{} is not a regular expression that can be used", quoted(pattern, 100)),
                "Use ECMAScript syntax without back-references");
  }
}

}  // namespace

Result<std::optional<std::string>> first_group(const std::string& pattern, std::string_view text) {
  const std::regex expression = TRY(compile(pattern));
  if (text.size() > limits::kPatternTextMaxBytes) return std::optional<std::string>();
  try {
    Match match;
    if (!std::regex_search(text.begin(), text.end(), match, expression)) return std::optional<std::string>();
    return std::optional(match.size() > 1 ? match[1].str() : match[0].str());
  } catch (const std::regex_error&) {
    return std::optional<std::string>();  // out of its own bounds
  }
}

Result<bool> matches_whole(const std::string& pattern, std::string_view text) {
  if (pattern.empty()) return true;
  const std::regex expression = TRY(compile(pattern));
  if (text.size() > limits::kPatternTextMaxBytes) return false;
  try {
    return std::regex_match(text.begin(), text.end(), expression);
  } catch (const std::regex_error&) {
    return false;
  }
}

}  // namespace teamster::engine
