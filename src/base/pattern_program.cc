#include "base/pattern_program.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <variant>

#include <fmt/format.h>

#include "base/limits.h"
#include "base/text.h"

namespace teamster {
namespace {

using Piece = std::vector<PatternInstruction>;  // of a program
using Kind = PatternInstruction::Kind;

constexpr std::size_t kEndless = std::numeric_limits<std::size_t>::max();

struct Repetition {
  std::size_t least = 0;
  std::size_t most = kEndless;
  bool is_greedy = true;
};

// A character, or a set of them.
using Characters = std::variant<char32_t, CharacterSet>;

std::int32_t offset(std::size_t count) { return static_cast<std::int32_t>(count); }

void append(Piece& piece, const Piece& more) { piece.insert(piece.end(), more.begin(), more.end()); }

PatternInstruction split(std::int32_t preferred, std::int32_t other, bool is_greedy = true) {
  return is_greedy ? PatternInstruction{Kind::split, preferred, other}
                   : PatternInstruction{Kind::split, other, preferred};
}

Piece either(const Piece& one, const Piece& other) {
  Piece piece = {split(1, offset(one.size() + 2))};
  append(piece, one);
  piece.push_back({Kind::jump, offset(other.size() + 1)});
  append(piece, other);
  return piece;
}

bool is_digit(char32_t c) { return c >= '0' && c <= '9'; }
bool is_ascii_letter(char32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

class Compiler {
 public:
  explicit Compiler(std::string_view expression) : expression_(expression) {}
  Result<PatternProgram> run();

 private:
  // Each reads what its name says, from at_ on.
  Result<Piece> alternatives();
  Result<Piece> sequence();
  Result<Piece> term();
  Result<Piece> group();
  Result<Characters> escaped();
  Result<char32_t> unicode_escape();
  Result<Piece> bracketed();
  Result<Characters> bracketed_item();
  Result<void> bracketed_range(CharacterSet& set);
  std::optional<char32_t> hexadecimal(std::size_t digits);
  std::optional<std::size_t> count();
  std::optional<Repetition> counted_repetition();
  Result<std::optional<Repetition>> repetition();
  Result<Piece> repeated(const Piece& piece, const Repetition& repetition) const;

  bool is_at(std::string_view text) const { return expression_.substr(at_).starts_with(text); }
  bool is_at_end() const { return at_ == expression_.size(); }
  bool take(std::string_view text) {
    if (!is_at(text)) return false;
    at_ += text.size();
    return true;
  }
  Piece one_of(CharacterSet set) {
    program_.sets.push_back(std::move(set));
    return {{Kind::set, offset(program_.sets.size() - 1)}};
  }
  Piece piece_of(const Characters& characters) {
    if (const auto* character = std::get_if<char32_t>(&characters)) return {{Kind::character, offset(*character)}};
    return one_of(std::get<CharacterSet>(characters));
  }
  tl::unexpected<Error> refuse(std::string_view why) const {
    return fail(Code::invalid,
                fmt::format("{} is not a regular expression that can be used: {} (before byte {})",
                            quoted(expression_, 100), why, at_),
                "Use ECMAScript syntax without lookaround and back-references");
  }
  tl::unexpected<Error> refuse_size() const {
    return refuse(fmt::format("with its repetitions it is longer than {} steps", limits::kPatternInstructionsMax));
  }

  std::string_view expression_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::size_t groups_ = 0;
  PatternProgram program_;
};

Result<Piece> Compiler::alternatives() {
  if (depth_++ > limits::kPatternGroupsDeepMax)
    return refuse(fmt::format("more than {} groups are in each other", limits::kPatternGroupsDeepMax));
  Piece piece = TRY(sequence());
  while (take("|")) {
    piece = either(piece, TRY(sequence()));
    if (piece.size() > limits::kPatternInstructionsMax) return refuse_size();
  }
  --depth_;
  return piece;
}

Result<Piece> Compiler::sequence() {
  Piece piece;
  while (!is_at_end() && !is_at("|") && !is_at(")")) {
    append(piece, TRY(term()));
    if (piece.size() > limits::kPatternInstructionsMax) return refuse_size();
  }
  return piece;
}

Result<Piece> Compiler::term() {
  if (take("^")) return Piece{{Kind::text_begin}};
  if (take("$")) return Piece{{Kind::text_end}};
  if (take("\\b")) return Piece{{Kind::word_border}};
  if (take("\\B")) return Piece{{Kind::no_word_border}};
  Piece piece;
  if (TRY(repetition())) return refuse("there is nothing to repeat");
  if (is_at("(")) {
    piece = TRY(group());
  } else if (is_at("[")) {
    piece = TRY(bracketed());
  } else if (take("\\")) {
    piece = piece_of(TRY(escaped()));
  } else if (take(".")) {
    piece = one_of(CharacterSet::line_ends().complement());
  } else {
    piece = piece_of(next_character(expression_, at_));
  }
  const auto times = TRY(repetition());
  return times ? repeated(piece, *times) : Result<Piece>(std::move(piece));
}

Result<Piece> Compiler::group() {
  for (const char* around : {"(?=", "(?!", "(?<=", "(?<!"})
    if (is_at(around)) return refuse(fmt::format("lookaround ({}…)) is not supported", around));
  std::size_t number = 0;  // of those that are not numbered
  if (!take("(?:")) {
    number = ++groups_;
    const bool is_named = take("(?<");
    if (is_named) at_ = std::min(expression_.find('>', at_), expression_.size() - 1) + 1;
    if (!is_named) take("(");
    if (!is_named && is_at("?")) return refuse("a group begins with (, (?: or (?<name>");
  }
  Piece piece;
  if (number == 1) piece.push_back({Kind::group_begin});
  append(piece, TRY(alternatives()));
  if (number == 1) piece.push_back({Kind::group_end});
  if (!take(")")) return refuse("a group has no end");
  return piece;
}

Result<Characters> Compiler::escaped() {
  if (is_at_end()) return refuse("it ends with a backslash");
  const std::size_t begin = at_;
  const char32_t c = next_character(expression_, at_);
  switch (c) {
    case 'd':
      return CharacterSet::digits();
    case 'D':
      return CharacterSet::digits().complement();
    case 'w':
      return CharacterSet::word_characters();
    case 'W':
      return CharacterSet::word_characters().complement();
    case 's':
      return CharacterSet::spaces();
    case 'S':
      return CharacterSet::spaces().complement();
    case 't':
      return U'\t';
    case 'n':
      return U'\n';
    case 'v':
      return U'\v';
    case 'f':
      return U'\f';
    case 'r':
      return U'\r';
    case 'u':
      return TRY(unicode_escape());
    case 'x':
      if (const auto value = hexadecimal(2)) return *value;
      return refuse("\\x needs two hexadecimal digits");
    case 'c':
      if (!is_at_end() && is_ascii_letter(static_cast<unsigned char>(expression_[at_])))
        return static_cast<char32_t>(expression_[at_++] & 0x1F);
      return refuse("\\c needs a letter");
    case '0':
      if (is_at_end() || !is_digit(static_cast<unsigned char>(expression_[at_]))) return U'\0';
      return refuse("an octal escape is not supported");
    case 'p':
    case 'P':
      return refuse(fmt::format("a Unicode property (\\{}) is not supported", static_cast<char>(c)));
    case 'k':
      return refuse("a back-reference (\\k) is not supported");
    default:
      break;
  }
  if (is_digit(c)) return refuse(fmt::format("a back-reference (\\{}) is not supported", static_cast<char>(c)));
  if (is_ascii_letter(c))
    return refuse(fmt::format("the escape \\{} is not known", expression_.substr(begin, at_ - begin)));
  return c;
}

std::optional<char32_t> Compiler::hexadecimal(std::size_t digits) {
  char32_t value = 0;
  for (std::size_t i = 0; i < digits; ++i, ++at_) {
    if (is_at_end()) return std::nullopt;
    const auto c = static_cast<unsigned char>(expression_[at_]);
    const char32_t lower = c | 0x20U;
    if (!is_digit(c) && (lower < 'a' || lower > 'f')) return std::nullopt;
    value = value * 16 + (is_digit(c) ? c - '0' : lower - 'a' + 10);
  }
  return value;
}

Result<char32_t> Compiler::unicode_escape() {
  if (take("{")) {
    const std::size_t digits = expression_.substr(at_).find('}');
    const auto value = digits <= 6 ? hexadecimal(digits) : std::nullopt;
    if (digits == 0 || !value || *value > 0x10FFFF || !take("}")) return refuse("\\u{…} names no character");
    return *value;
  }
  const auto value = hexadecimal(4);
  if (!value) return refuse("\\u needs four hexadecimal digits");
  // Characters beyond U+FFFF are written as two.
  const std::size_t behind = at_;
  if (*value >= 0xD800 && *value < 0xDC00 && take("\\u"))
    if (const auto low = hexadecimal(4); low && *low >= 0xDC00 && *low < 0xE000)
      return 0x10000 + ((*value - 0xD800) << 10U) + (*low - 0xDC00);
  at_ = behind;
  return *value;
}

Result<Piece> Compiler::bracketed() {
  take("[");
  const bool is_negated = take("^");
  CharacterSet set;
  while (!take("]")) TRY_VOID(bracketed_range(set));
  return one_of(is_negated ? set.complement() : std::move(set));
}

Result<void> Compiler::bracketed_range(CharacterSet& set) {
  const Characters first = TRY(bracketed_item());
  const auto* begin = std::get_if<char32_t>(&first);
  if (begin == nullptr) {
    set.add(std::get<CharacterSet>(first));
    return {};
  }
  if (!is_at("-") || is_at("-]")) {
    set.add(*begin, *begin);
    return {};
  }
  take("-");
  const Characters last = TRY(bracketed_item());
  const auto* end = std::get_if<char32_t>(&last);
  if (end == nullptr || *end < *begin) return refuse("a range in brackets goes from a character to a later one");
  set.add(*begin, *end);
  return {};
}

Result<Characters> Compiler::bracketed_item() {
  if (is_at_end()) return refuse("a bracket has no end");
  if (take("\\b")) return U'\b';
  if (take("\\")) return escaped();
  return next_character(expression_, at_);
}

std::optional<std::size_t> Compiler::count() {
  constexpr std::size_t kMost = 1'000'000;  // no program is that long
  if (is_at_end() || !is_digit(static_cast<unsigned char>(expression_[at_]))) return std::nullopt;
  std::size_t value = 0;
  for (; !is_at_end() && is_digit(static_cast<unsigned char>(expression_[at_])); ++at_)
    value = std::min<std::size_t>(kMost, value * 10 + static_cast<std::size_t>(expression_[at_] - '0'));
  return value;
}

// {2}, {2,} or {2,3}; other braces stand for themselves.
std::optional<Repetition> Compiler::counted_repetition() {
  const std::size_t begin = at_;
  take("{");
  Repetition times;
  const auto least = count();
  bool is_one = least.has_value();
  if (is_one) {
    times.least = *least;
    times.most = take(",") ? count().value_or(kEndless) : *least;
    is_one = take("}");
  }
  if (is_one) return times;
  at_ = begin;
  return std::nullopt;
}

Result<std::optional<Repetition>> Compiler::repetition() {
  std::optional<Repetition> times;
  if (take("*")) {
    times = Repetition{};
  } else if (take("+")) {
    times = Repetition{.least = 1};
  } else if (take("?")) {
    times = Repetition{.most = 1};
  } else if (is_at("{")) {
    times = counted_repetition();
  }
  if (!times) return times;
  if (times->most < times->least) return refuse("a repetition goes from more to fewer");
  times->is_greedy = !take("?");
  return times;
}

Result<Piece> Compiler::repeated(const Piece& piece, const Repetition& repetition) const {
  if (piece.empty()) return piece;
  const std::size_t copies = repetition.most == kEndless ? repetition.least + 1 : repetition.most;
  if ((piece.size() + 2) * copies > limits::kPatternInstructionsMax) return refuse_size();
  Piece out;
  for (std::size_t i = 0; i < repetition.least; ++i) append(out, piece);
  if (repetition.most == kEndless) {
    out.push_back(split(1, offset(piece.size() + 2), repetition.is_greedy));
    append(out, piece);
    out.push_back({Kind::jump, -offset(piece.size() + 1)});
    return out;
  }
  // Each of the others may be the last, and leads to the end.
  for (std::size_t left = repetition.most - repetition.least; left > 0; --left) {
    out.push_back(split(1, offset(left * (piece.size() + 1)), repetition.is_greedy));
    append(out, piece);
  }
  return out;
}

Result<PatternProgram> Compiler::run() {
  if (expression_.size() > limits::kPatternMaxBytes)
    return fail(Code::invalid, fmt::format("the regular expression has {} bytes, the limit is {}", expression_.size(),
                                           limits::kPatternMaxBytes));
  program_.code = TRY(alternatives());
  if (!is_at_end()) return refuse("a ) has no (");
  program_.code.push_back({Kind::match});
  return std::move(program_);
}

}  // namespace

Result<PatternProgram> compile_pattern(std::string_view expression) { return Compiler(expression).run(); }

}  // namespace teamster
