#include "project/git_output.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"

namespace teamster::engine {
namespace {

constexpr std::size_t kStatusLetters = 3;       // "XY "
constexpr std::size_t kTagNumberMaxDigits = 9;  // more is somebody's date, not a count

std::optional<std::int64_t> tag_number(std::string_view name, std::string_view pattern) {
  const std::size_t star = pattern.find('*');
  if (star == pattern.npos) return std::nullopt;
  const std::string_view before = pattern.substr(0, star);
  const std::string_view after = pattern.substr(star + 1);
  if (!name.starts_with(before) || !name.ends_with(after) || name.size() <= before.size() + after.size())
    return std::nullopt;
  const std::string_view digits = name.substr(star, name.size() - before.size() - after.size());
  if (digits.size() > kTagNumberMaxDigits) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || end != digits.data() + digits.size() || number < 0) return std::nullopt;
  return number;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

}  // namespace

Result<std::vector<std::string>> parse_status(std::string_view output) {
  std::vector<std::string> paths;
  for (const auto entry : split(output, '\0')) {
    if (entry.size() <= kStatusLetters || entry[kStatusLetters - 1] != ' ')
      return fail(Code::failed, fmt::format("git status printed {}, which is not its format", quoted(entry, 80)),
                  "Use git 2.26 or newer");
    paths.emplace_back(entry.substr(kStatusLetters));
  }
  return paths;
}

std::vector<GitTag> parse_tags(std::string_view output) {
  std::vector<GitTag> tags;
  for (const auto line : split(output, '\n')) {
    const auto words = split(line, ' ');
    if (words.size() >= 2) tags.push_back({std::string(words[0]), std::string(words.back())});
  }
  return tags;
}

bool fits_tag_pattern(std::string_view name, std::string_view pattern) {
  return name == pattern || tag_number(name, pattern).has_value();
}

Result<std::string> next_tag(std::string_view pattern, const std::vector<GitTag>& tags) {
  const auto stars = std::count(pattern.begin(), pattern.end(), '*');
  if (stars == 0) return std::string(pattern);
  if (stars > 1)
    return fail(Code::invalid, fmt::format("the tag {} has more than one *", quoted(pattern, 80)),
                "Write one, where the number goes");
  std::int64_t highest = 0;
  for (const auto& tag : tags) highest = std::max(highest, tag_number(tag.name, pattern).value_or(0));
  std::string name(pattern);
  return name.replace(name.find('*'), 1, std::to_string(highest + 1));
}

}  // namespace teamster::engine
