#include "verify/criterion_line.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "verify/manifest.h"
#include "verify/verify_limits.h"

namespace teamster::verify {
namespace {

constexpr std::size_t kShownBytes = 60;
constexpr const char* kForm = "write `- [ID] text | Verify: …`";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool starts_without_case(std::string_view text, std::string_view word) {
  return text.size() >= word.size() &&
         std::equal(word.begin(), word.end(), text.begin(), [](char a, char b) { return a == lower(b); });
}

// A number without leading zeros, taken off the text.
bool take_number(std::string_view& text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0 || digits > kIdDigitsMax || text.front() == '0') return false;
  text.remove_prefix(digits);
  return true;
}

// What somebody who means an id may write: inv-g1, INV 2, AC_1, ac-1.1.
bool looks_like_id(std::string_view text) {
  const bool is_invariant = starts_without_case(text, "inv");
  if (!is_invariant && !starts_without_case(text, "ac")) return false;
  text.remove_prefix(is_invariant ? 3 : 2);
  const auto skip_one_of = [&](std::string_view marks) {
    if (!text.empty() && marks.find(text.front()) != marks.npos) text.remove_prefix(1);
  };
  skip_one_of("-_ .");
  if (is_invariant) {
    skip_one_of("gG");
    skip_one_of("-_ .");
  }
  return !text.empty() && is_digit(text.front());
}

// Without what a writer or an editor puts around the words: emphasis, quotes, boxes to tick, escapes, cells of a table.
std::string_view without_decoration(std::string_view text) {
  for (;;) {
    text = trimmed(text);
    if (text.starts_with("[ ]") || text.starts_with("[x]") || text.starts_with("[X]"))
      text.remove_prefix(3);
    else if (!text.empty() && std::string_view("*_`~[]()#>|\\-+\"'").find(text.front()) != std::string_view::npos)
      text.remove_prefix(1);
    else
      return text;
  }
}

// Where the words that say how it is verified begin, and where the text before them ends.
struct VerifyPart {
  std::size_t text_ends = 0;
  std::size_t words_begin = 0;
  bool has_bar = false;
};

std::optional<VerifyPart> verify_part_at(std::string_view text, std::size_t at) {
  constexpr std::string_view kWord = "verify";
  if (!starts_without_case(text.substr(at), kWord)) return std::nullopt;
  std::size_t behind = std::min(text.find_first_not_of("*_", at + kWord.size()), text.size());
  if (behind >= text.size() || text[behind] != ':') return std::nullopt;
  behind = std::min(text.find_first_not_of("*_ \t", behind + 1), text.size());
  const std::size_t before = at == 0 ? text.npos : text.find_last_not_of("*_ \t", at - 1);
  const bool has_bar = before != text.npos && text[before] == '|';
  return VerifyPart{has_bar ? before : at, behind, has_bar};
}

// The last one with a bar, else the last one.
std::optional<VerifyPart> find_verify_part(std::string_view text) {
  std::optional<VerifyPart> without_bar;
  for (std::size_t at = text.size(); at-- > 0;) {
    const auto part = verify_part_at(text, at);
    if (!part) continue;
    if (part->has_bar) return part;
    if (!without_bar) without_bar = part;
  }
  return without_bar;
}

CriterionLine mistaken(std::string id, std::string problem) {
  return {.kind = CriterionLine::Kind::mistaken, .id = std::move(id), .problem = std::move(problem)};
}

// Ids behind "covered by", up to the first word that is none. A problem when there is no id, or a wrong one.
std::string read_covering(std::string_view words, std::vector<std::string>& ids) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find_first_of(" \t,;+&/"), words.size());
    std::string_view word = words.substr(0, end);
    words.remove_prefix(std::min(end + 1, words.size()));
    while (!word.empty() && std::string_view("[(*_`").find(word.front()) != std::string_view::npos)
      word.remove_prefix(1);
    while (!word.empty() && std::string_view("])*_`.:").find(word.back()) != std::string_view::npos)
      word.remove_suffix(1);
    if (word.empty() || word == "and") continue;
    if (is_criterion_id(word)) {
      if (ids.size() >= kCoveredByMax) return fmt::format("is covered by more than {} others", kCoveredByMax);
      ids.emplace_back(word);
      continue;
    }
    if (looks_like_id(word))
      return fmt::format("is covered by {}, which is no id: ids are INV-Gn and AC-d.n", quoted(word, kShownBytes));
    break;
  }
  return ids.empty() ? "says `covered by` and names no criterion: write `Verify: covered by INV-G1`" : "";
}

CriterionLine read_criterion(std::string_view id, std::string_view rest) {
  const auto part = find_verify_part(rest);
  if (!part) return mistaken(std::string(id), fmt::format("{} does not say how it is verified: {}", id, kForm));
  if (!part->has_bar) return mistaken(std::string(id), fmt::format("{} has no `|` before `Verify:`: {}", id, kForm));
  CriterionLine line{.kind = CriterionLine::Kind::criterion, .id = std::string(id)};
  line.text = trimmed(rest.substr(0, part->text_ends));
  if (line.text.empty()) return mistaken(line.id, fmt::format("{} has no text: say what must hold", id));
  if (line.text.size() > kCriterionTextMaxBytes)
    return mistaken(line.id, fmt::format("the text of {} has {} bytes, the limit is {}", id, line.text.size(),
                                         kCriterionTextMaxBytes));
  const std::string_view words = rest.substr(part->words_begin);
  constexpr std::string_view kCovered = "covered by";
  if (!starts_without_case(words, kCovered)) return line;
  line.is_covered = true;
  const std::string problem = read_covering(words.substr(kCovered.size()), line.covered_by);
  return problem.empty() ? line : mistaken(line.id, fmt::format("{} {}", id, problem));
}

// Of a list item that begins with a bracket; nothing when it is no label of ours.
std::optional<CriterionLine> read_labelled(std::string_view text) {
  const std::size_t close = text.find(']');
  if (close == text.npos || close == 0) return std::nullopt;
  const std::string_view label = text.substr(1, close - 1);
  const std::string_view rest = text.substr(close + 1);
  if (rest.starts_with('(') && !find_verify_part(rest)) return CriterionLine{};  // a link
  if (is_criterion_id(label)) return read_criterion(label, rest);
  if (looks_like_id(trimmed(label)))
    return mistaken("", fmt::format("{} is no id of a criterion: ids are INV-Gn and AC-d.n, in capitals, without "
                                    "spaces or leading zeros",
                                    quoted(label, kShownBytes)));
  const auto part = find_verify_part(rest);
  if (!part || !part->has_bar || trimmed(label).size() <= 1) return std::nullopt;
  return mistaken(
      "", fmt::format("{} cannot have `| Verify:`: what is verified is INV-Gn or AC-d.n", quoted(label, kShownBytes)));
}

}  // namespace

bool is_criterion_id(std::string_view text) {
  if (text.starts_with("INV-G")) {
    text.remove_prefix(5);
    return take_number(text) && text.empty();
  }
  if (!text.starts_with("AC-")) return false;
  text.remove_prefix(3);
  if (!take_number(text) || !text.starts_with('.')) return false;
  text.remove_prefix(1);
  return take_number(text) && text.empty();
}

CriterionLine read_criterion_line(std::string_view text, LineContext context) {
  if (context.is_item && text.starts_with('['))
    if (auto labelled = read_labelled(text)) return *std::move(labelled);
  const std::string_view bare = without_decoration(text);
  if (!looks_like_id(bare)) return {};
  const bool is_verified = find_verify_part(bare).has_value();
  if (!is_verified && !(context.is_item && context.is_among_criteria)) return {};
  const std::size_t end = std::min(bare.find_first_of(" \t]*_`:|)"), bare.size());
  return mistaken(is_criterion_id(bare.substr(0, end)) ? std::string(bare.substr(0, end)) : "",
                  fmt::format("{} looks like a criterion and is none: {}", quoted(bare, kShownBytes), kForm));
}

bool is_criterion_line(std::string_view line) {
  const std::size_t at = line.find_first_not_of(" \t");
  if (at == line.npos || (line[at] != '-' && line[at] != '*' && line[at] != '+')) return false;
  const std::string_view text = trimmed(line.substr(at + 1));
  return text.starts_with('[') && read_criterion_line(text, {}).kind == CriterionLine::Kind::criterion;
}

}  // namespace teamster::verify
