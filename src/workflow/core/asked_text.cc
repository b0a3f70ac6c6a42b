#include "workflow/core/asked_text.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "workflow/core/people.h"

namespace teamster::workflow {
namespace {

constexpr std::size_t kOptionsReadMax = 20;

// What stands behind these words at the beginning of a line, whatever their letters' case; nullopt: it does not begin
// so.
std::optional<std::string_view> behind(std::string_view line, std::string_view words) {
  if (line.size() < words.size()) return std::nullopt;
  const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  for (std::size_t i = 0; i < words.size(); ++i)
    if (small(line[i]) != words[i]) return std::nullopt;
  return trimmed(line.substr(words.size()));
}

// "2. another one", "2) another one".
std::optional<std::string_view> option_in(std::string_view line, std::size_t number) {
  const std::string digits = std::to_string(number);
  if (!line.starts_with(digits) || line.size() <= digits.size()) return std::nullopt;
  const char sign = line[digits.size()];
  if (sign != '.' && sign != ')') return std::nullopt;
  const std::string_view option = trimmed(line.substr(digits.size() + 1));
  return option.empty() ? std::nullopt : std::optional(option);
}

}  // namespace

void read_asked_text(event::Asked& asked) {
  const std::string_view text = asked.text;
  const bool had_options = !asked.options.empty();
  std::vector<std::string> options;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = trimmed(text.substr(begin, end - begin));
    begin = end + 1;
    if (asked.expertise.empty())
      if (const auto expertise = behind(line, "relevant expertise:")) asked.expertise = std::string(*expertise);
    // What was tried is numbered, too: the last list counts.
    if (option_in(line, 1)) options.clear();
    if (const auto option = option_in(line, options.size() + 1); option && options.size() < kOptionsReadMax)
      options.emplace_back(*option);
  }
  if (behind(trimmed(text), "escalation:")) asked.expertise = kOwner;
  if (!had_options && options.size() > 1) asked.options = std::move(options);
}

}  // namespace teamster::workflow
