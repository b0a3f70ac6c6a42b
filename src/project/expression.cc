#include "project/expression.h"

#include "base/limits.h"
#include "base/pattern.h"

namespace teamster::engine {

Result<std::optional<std::string>> first_group(const std::string& pattern, std::string_view text) {
  Pattern compiled = TRY(Pattern::compile(pattern));
  if (text.size() > limits::kPatternTextMaxBytes) return std::optional<std::string>();
  if (!compiled.has_group()) compiled = TRY(Pattern::compile("(" + pattern + ")"));
  auto group = compiled.first_group(text);
  if (!group && compiled.search(text)) group.emplace();  // it is found, and the group has no part in it
  return group;
}

Result<bool> matches_whole(const std::string& pattern, std::string_view text) {
  if (pattern.empty()) return true;
  const Pattern compiled = TRY(Pattern::compile(pattern));
  return text.size() <= limits::kPatternTextMaxBytes && compiled.matches_whole(text);
}

}  // namespace teamster::engine
