#include "workflow/format/plain_words.h"

#include <algorithm>
#include <optional>

namespace teamster::workflow {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

bool is_plain(char c) {
  constexpr std::string_view kHarmless = "_-./,:@%+";
  return is_digit(c) || is_lower(c) || is_upper(c) || kHarmless.find(c) != kHarmless.npos;
}

bool is_plain_range(char from, char to) {
  return (is_digit(from) && is_digit(to)) || (is_lower(from) && is_lower(to)) || (is_upper(from) && is_upper(to));
}

// Reads a pattern from its beginning. What it does not know is not plain.
class PlainPattern {
 public:
  explicit PlainPattern(std::string_view pattern) : rest_(pattern) {}

  bool holds() {
    while (!rest_.empty())
      if (!take_part()) return false;
    return true;
  }

 private:
  char take() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }

  bool take_part() {
    constexpr std::string_view kBetween = ")|*+?^$";  // they match nothing by themselves
    const char c = take();
    if (c == '\\') return take_escaped().has_value();
    if (c == '[') return take_class();
    if (c == '{') return take_count();
    if (c == '(') return take_opening();
    if (kBetween.find(c) != kBetween.npos) return true;
    return c != '.' && is_plain(c);
  }

  // What stands behind a backslash: a letter for a class that is plain as a whole, or the plain character itself.
  std::optional<char> take_escaped() {
    if (rest_.empty()) return std::nullopt;
    const char c = take();
    if (c == 'd' || c == 'w') return c;
    const bool is_letter = is_lower(c) || is_upper(c) || is_digit(c);
    return !is_letter && is_plain(c) ? std::optional(c) : std::nullopt;
  }

  bool take_class() {
    if (rest_.starts_with('^')) return false;
    while (!rest_.empty() && !rest_.starts_with(']')) {
      const char c = take();
      if (c == '\\') {
        if (!take_escaped()) return false;
      } else if (rest_.size() > 1 && rest_[0] == '-' && rest_[1] != ']') {
        take();
        if (!is_plain_range(c, take())) return false;
      } else if (!is_plain(c)) {
        return false;
      }
    }
    if (rest_.empty()) return false;
    take();
    return true;
  }

  bool take_count() {
    while (!rest_.empty() && (is_digit(rest_.front()) || rest_.front() == ',')) take();
    return !rest_.empty() && take() == '}';
  }

  bool take_opening() {
    if (!rest_.starts_with('?')) return true;
    if (!rest_.starts_with("?:")) return false;
    rest_.remove_prefix(2);
    return true;
  }

  std::string_view rest_;
};

// From behind its opening parenthesis to its closing one.
std::optional<std::string_view> first_group(std::string_view pattern) {
  std::optional<std::size_t> begin;
  int depth = 0;
  bool is_in_class = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\') {
      ++i;
    } else if (is_in_class) {
      is_in_class = c != ']';
    } else if (c == '[') {
      is_in_class = true;
    } else if (c == '(' && begin) {
      ++depth;
    } else if (c == '(' && !pattern.substr(i + 1).starts_with('?')) {
      begin = i + 1;
    } else if (c == ')' && begin && depth-- == 0) {
      return pattern.substr(*begin, i - *begin);
    }
  }
  return std::nullopt;
}

}  // namespace

bool is_plain_word(std::string_view word) { return std::all_of(word.begin(), word.end(), is_plain); }

bool matches_plain_words_alone(std::string_view pattern) { return !pattern.empty() && PlainPattern(pattern).holds(); }

bool captures_plain_words_alone(std::string_view pattern) {
  const auto group = first_group(pattern);
  return group && matches_plain_words_alone(*group);
}

}  // namespace teamster::workflow
