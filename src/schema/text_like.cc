#include <algorithm>
#include <cctype>

#include "schema/example.h"

namespace teamster::schema {
namespace {

constexpr std::size_t kLikenessMaxBytes = 1000;
constexpr int kGroupsMax = 50;

// Reads a pattern once, from its beginning to its end, and writes what each part of it stands for.
class TextLike {
 public:
  explicit TextLike(std::string_view pattern) : pattern_(pattern) {}

  // Up to the end of the group; of what is to be chosen from the first.
  std::string choice() {
    if (++depth_ > kGroupsMax) return {};
    std::string first = sequence();
    while (take('|')) (void)sequence();
    --depth_;
    return first;
  }

 private:
  bool is_at_end() const { return at_ >= pattern_.size(); }
  char next() const { return pattern_[at_]; }
  bool take(char wanted) {
    if (is_at_end() || next() != wanted) return false;
    ++at_;
    return true;
  }

  std::string sequence() {
    std::string text;
    while (!is_at_end() && next() != '|' && next() != ')') {
      const std::string part = one();
      for (int left = times(); left > 0 && text.size() < kLikenessMaxBytes; --left) text += part;
    }
    return text;
  }

  std::string one() {
    const char c = pattern_[at_++];
    if (c == '^' || c == '$') return {};
    if (c == '.') return "x";
    if (c == '[') return char_class();
    if (c == '\\') return escaped();
    if (c != '(') return std::string(1, c);
    // (?:…), (?=…) and the like
    if (take('?'))
      while (!is_at_end() && std::string_view(":=!<P").find(next()) != std::string_view::npos) ++at_;
    std::string group = choice();
    (void)take(')');
    return group;
  }

  std::string escaped() {
    if (is_at_end()) return {};
    const char c = pattern_[at_++];
    switch (c) {
      case 'd':
        return "0";
      case 'w':
      case 'S':
      case 'D':
        return "x";
      case 's':
      case 'W':
        return " ";
      case 'b':
      case 'B':
        return {};
      case 't':
        return "\t";
      case 'n':
        return "\n";
      default:
        return std::string(1, c);
    }
  }

  // Of [^…] something that is not in it.
  std::string char_class() {
    const bool is_negated = take('^');
    const std::size_t begin = at_;
    if (!is_at_end() && next() == ']') ++at_;
    while (!is_at_end() && next() != ']') at_ += next() == '\\' ? 2 : 1;
    const std::string_view inside = pattern_.substr(begin, std::min(at_, pattern_.size()) - begin);
    (void)take(']');
    if (is_negated) {
      for (const char c : {'x', '0', '-', ' '})
        if (inside.find(c) == std::string_view::npos) return std::string(1, c);
      return "x";
    }
    if (inside.starts_with('\\')) return TextLike(inside.substr(0, 2)).choice();
    return std::string(inside.substr(0, 1));
  }

  // As few as the quantifier allows.
  int times() {
    int least = 1;
    if (take('*') || take('?')) {
      least = 0;
    } else if (take('{')) {
      least = 0;
      while (!is_at_end() && std::isdigit(static_cast<unsigned char>(next())) != 0)
        least = std::min(least * 10 + (pattern_[at_++] - '0'), static_cast<int>(kLikenessMaxBytes));
      while (!is_at_end() && pattern_[at_++] != '}') continue;
    } else {
      (void)take('+');
    }
    (void)take('?');
    return least;
  }

  std::string_view pattern_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::string text_like(std::string_view pattern) { return TextLike(pattern).choice(); }

}  // namespace teamster::schema
