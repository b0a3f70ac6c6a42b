#include "project/git_output.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "base/run_name.h"
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

// "implement-spec" of "implement-spec-20261116-04d2/record.1".
std::string workflow_of(std::string_view step) {
  const std::string_view run = step.substr(0, step.find('/'));
  const auto name = RunName::parse(run);
  return std::string(name ? name->workflow() : run);
}

bool is_set_by(const GitTag& tag, std::string_view step) {
  return std::any_of(tag.steps.begin(), tag.steps.end(),
                     [&](const std::string& other) { return are_of_one_workflow(other, step); });
}

TagPlace numbered_place(std::string_view pattern, std::string_view commit, const std::vector<GitTag>& tags) {
  std::int64_t highest = 0;
  for (const auto& tag : tags) {
    const auto number = tag_number(tag.name, pattern);
    if (number && tag.commit == commit) return {tag.name, TagPlace::How::there};
    highest = std::max(highest, number.value_or(0));
  }
  std::string name(pattern);
  return {name.replace(name.find('*'), 1, std::to_string(highest + 1)), TagPlace::How::fresh};
}

TagPlace named_place(std::string_view pattern, std::string_view commit, std::string_view step,
                     const std::vector<GitTag>& tags) {
  for (std::size_t number = 1;; ++number) {
    const std::string name = number == 1 ? std::string(pattern) : fmt::format("{}-{}", pattern, number);
    const auto found = std::find_if(tags.begin(), tags.end(), [&](const GitTag& tag) { return tag.name == name; });
    if (found == tags.end()) return {name, TagPlace::How::fresh};
    if (found->commit == commit) return {name, TagPlace::How::there};
    if (is_set_by(*found, step)) return {name, TagPlace::How::moved};
  }
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

std::vector<std::string> parse_trailers(std::string_view values) {
  std::vector<std::string> trailers;
  for (const auto value : split(values, ','))
    if (!trimmed(value).empty()) trailers.emplace_back(trimmed(value));
  return trailers;
}

std::vector<GitTag> parse_tags(std::string_view output) {
  constexpr std::size_t kWords = 4;  // name, object, the commit of an annotated tag or nothing, trailers
  std::vector<GitTag> tags;
  for (const auto line : split(output, '\n')) {
    const auto words = split(line, ' ');
    if (words.size() < kWords - 1) continue;
    const std::size_t before = words[0].size() + words[1].size() + words[2].size() + kWords - 1;
    tags.push_back({std::string(words[0]), std::string(words[2].empty() ? words[1] : words[2]),
                    parse_trailers(line.substr(std::min(before, line.size())))});
  }
  return tags;
}

bool are_of_one_workflow(std::string_view step, std::string_view other) {
  return workflow_of(step) == workflow_of(other);
}

Result<TagPlace> place_of_tag(std::string_view pattern, std::string_view commit, std::string_view step,
                              const std::vector<GitTag>& tags) {
  const auto stars = std::count(pattern.begin(), pattern.end(), '*');
  if (stars > 1)
    return fail(Code::invalid, fmt::format("the tag {} has more than one *", quoted(pattern, 80)),
                "Write one, where the number goes");
  return stars == 1 ? numbered_place(pattern, commit, tags) : named_place(pattern, commit, step, tags);
}

}  // namespace teamster::engine
