#include "verify/manifest_section.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"

namespace teamster::verify {
namespace {

constexpr std::size_t kNumberDigitsMax = 4;

std::string lower_case(std::string_view text) {
  std::string lowered(text);
  std::ranges::transform(lowered, lowered.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return lowered;
}

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

// The section that the first of its words names.
Section section_named(const std::string& heading) {
  static const std::vector<std::pair<std::string_view, Section>> kWords = {
      {"intent", Section::intent},          {"approach", Section::approach},
      {"invariant", Section::invariants},   {"process guidance", Section::guidance},
      {"assumption", Section::assumptions}, {"deliverable", Section::deliverables},
      {"amendment", Section::amendment}};
  Section named = Section::other;
  std::size_t first = std::string::npos;
  for (const auto& [word, section] : kWords) {
    const std::size_t at = heading.find(word);
    if (at >= first || (at > 0 && at != heading.npos && is_letter(heading[at - 1]))) continue;
    first = at;
    named = section;
  }
  return named;
}

// Behind the word: "Deliverable 2: page" is 2.
std::optional<std::size_t> number_behind(const std::string& heading, std::string_view word) {
  std::size_t at = heading.find(word);
  if (at == heading.npos) return std::nullopt;
  at += word.size();
  while (at < heading.size() && (heading[at] == ' ' || heading[at] == '#' || heading[at] == '-')) ++at;
  std::size_t number = 0;
  std::size_t digits = 0;
  for (; at < heading.size() && heading[at] >= '0' && heading[at] <= '9' && digits < kNumberDigitsMax; ++at, ++digits)
    number = number * 10 + static_cast<std::size_t>(heading[at] - '0');
  return digits == 0 ? std::nullopt : std::optional(number);
}

// Of a heading in the section of deliverables: "Deliverable 2: page", "D2 page", "2. Page".
std::optional<std::size_t> deliverable_number(const std::string& heading) {
  if (const auto number = number_behind(heading, "deliverable")) return number;
  if (heading.size() > 1 && heading[0] == 'd' && heading[1] >= '0' && heading[1] <= '9')
    return number_behind(heading, "d");
  if (!heading.empty() && heading[0] >= '0' && heading[0] <= '9') return number_behind(heading, "");
  return std::nullopt;
}

}  // namespace

bool says_historical(std::string_view words) {
  constexpr std::string_view kWord = "historical";
  const std::string text = lower_case(words);
  for (std::size_t at = text.find(kWord); at != text.npos; at = text.find(kWord, at + 1)) {
    const std::size_t end = at + kWord.size();
    const bool is_denied = text.substr(0, at).ends_with("not ");
    if ((at == 0 || !is_letter(text[at - 1])) && (end == text.size() || !is_letter(text[end])) && !is_denied)
      return true;
  }
  return false;
}

ManifestSection::Entered ManifestSection::enter(std::size_t level, std::string_view heading) {
  const std::string words = lower_case(trimmed(heading));
  if (!std::exchange(has_headings_, true) && level == 1) return {.is_title = true};
  const bool is_below = section_ != Section::none && level > level_;
  if (is_below && section_ == Section::amendment) {
    const bool is_next = words.starts_with("amendment") || (holds_amendments_ && level == level_ + 1);
    if (!is_next) return {};
    is_historical_ = all_are_historical_ || says_historical(words);
    return {.is_amendment = true};
  }
  if (is_below) {
    const bool is_deliverable =
        section_ == Section::deliverables && (level == level_ + 1 || words.starts_with("deliverable"));
    if (is_deliverable) deliverable_ = deliverable_number(words);
    return {.is_deliverable = is_deliverable};
  }
  section_ = section_named(words);
  // One deliverable without a heading over all of them.
  const bool is_deliverable = section_ == Section::deliverables && number_behind(words, "deliverable").has_value();
  level_ = is_deliverable && level > 1 ? level - 1 : level;
  deliverable_ = is_deliverable ? number_behind(words, "deliverable") : std::nullopt;
  holds_amendments_ = section_ == Section::amendment && words.find("amendments") != words.npos;
  is_historical_ = section_ == Section::amendment && says_historical(words);
  all_are_historical_ = holds_amendments_ && is_historical_;
  return {.is_amendment = section_ == Section::amendment, .is_deliverable = is_deliverable};
}

}  // namespace teamster::verify
