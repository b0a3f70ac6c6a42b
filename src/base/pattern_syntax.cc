#include "base/pattern_syntax.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/limits.h"
#include "base/text.h"

namespace teamster {
namespace {

// What stands between brackets in RE2. Its \s knows the spaces of ASCII alone; ECMAScript's are those of Unicode.
constexpr std::string_view kAnything = R"(\x{0}-\x{10ffff})";
constexpr std::string_view kLineEnds = R"(\n\r\x{2028}\x{2029})";
constexpr std::string_view kSpaces =
    R"(\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff})";
constexpr std::string_view kNoSpaces =
    R"(\x{0}-\x{8}\x{e}-\x{1f}!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e})"
    R"(\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff})";

bool is_decimal(char32_t c) { return c >= '0' && c <= '9'; }
bool is_ascii_letter(char32_t c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// A character, or a set of them.
struct Characters {
  std::optional<char32_t> one;
  std::string_view set;  // of several, as it stands between brackets

  std::string between_brackets() const {
    if (!one) return std::string(set);
    return is_decimal(*one) || is_ascii_letter(*one) ? std::string(1, static_cast<char>(*one))
                                                     : fmt::format("\\x{{{:x}}}", static_cast<std::uint32_t>(*one));
  }
  std::string alone() const { return one ? between_brackets() : fmt::format("[{}]", set); }
};

Characters one(char32_t character) { return {character, {}}; }
Characters many(std::string_view set) { return {std::nullopt, set}; }

struct Repetition {
  std::size_t least = 0;
  std::optional<std::size_t> most = {};  // nothing: without end
  bool is_lazy = false;
  std::string_view mark = {};  // as it is written

  std::size_t copies() const { return std::max<std::size_t>({1, least, most.value_or(0)}); }
};

// Goes through the expression once, from the left to the right.
class Reader {
 public:
  explicit Reader(std::string_view expression) : expression_(expression) {}
  Result<PatternSyntax> run();

 private:
  // Each reads what its name says, from at_ on.
  Result<void> term();
  Result<void> group_begin();
  Result<void> group_end();
  Result<std::string> character_or_set();
  Result<Characters> escaped();
  Result<char32_t> unicode_escape();
  Result<std::string> bracketed();
  Result<std::string> bracketed_range();
  Result<Characters> bracketed_item();
  std::optional<char32_t> hexadecimal(std::size_t digits);
  std::optional<std::size_t> count();
  std::optional<Repetition> counted_repetition();
  Result<std::optional<Repetition>> repetition();

  Result<void> repeat_characters(const std::string& characters, const Repetition& times);

  bool is_at(std::string_view text) const { return expression_.substr(at_).starts_with(text); }
  bool is_at_end() const { return at_ == expression_.size(); }
  unsigned char here() const { return is_at_end() ? '\0' : static_cast<unsigned char>(expression_[at_]); }
  bool take(std::string_view text) {
    if (!is_at(text)) return false;
    at_ += text.size();
    return true;
  }
  Result<void> write(std::string_view text) {
    syntax_.re2 += text;
    return {};
  }
  tl::unexpected<Error> refuse(std::string_view why) const {
    return refuse_pattern(expression_, fmt::format("{} (before byte {})", why, at_));
  }
  // Counts what has been read to the innermost group that is open.
  Result<void> lengthen(std::size_t characters) {
    lengths_.back() += characters;
    if (lengths_.back() <= limits::kPatternCharactersMax) return {};
    return refuse(fmt::format("with its repetitions it is longer than {} characters", limits::kPatternCharactersMax));
  }

  std::string_view expression_;
  std::size_t at_ = 0;
  std::vector<std::size_t> lengths_ = {0};  // of the expression and of each open group, repetitions written out
  PatternSyntax syntax_;
};

Result<void> Reader::term() {
  for (const std::string_view same : {"^", "$", "|", "\\b"})
    if (take(same)) return write(same);
  if (take("\\B")) {
    syntax_.has_no_word_border = true;
    return write("\\B");
  }
  if (TRY(repetition())) return refuse("there is nothing to repeat");
  if (is_at("(")) return group_begin();
  if (is_at(")")) return group_end();
  const std::string characters = TRY(character_or_set());
  const auto times = TRY(repetition());
  TRY_VOID(lengthen(times ? times->copies() : 1));
  return times ? repeat_characters(characters, *times) : write(characters);
}

Result<void> Reader::group_begin() {
  for (const char* around : {"(?=", "(?!", "(?<=", "(?<!"})
    if (is_at(around)) return refuse(fmt::format("lookaround ({}…)) is not supported", around));
  lengths_.push_back(0);
  if (take("(?:")) return write("(?:");
  if (take("(?<")) {
    at_ = std::min(expression_.find('>', at_), expression_.size() - 1) + 1;
  } else {
    take("(");
    if (is_at("?")) return refuse("a group begins with (, (?: or (?<name>");
  }
  return write(std::exchange(syntax_.has_group, true) ? "(?:" : "(");
}

Result<void> Reader::group_end() {
  if (lengths_.size() == 1) return refuse("a ) has no (");
  take(")");
  const std::size_t length = lengths_.back();
  lengths_.pop_back();
  const auto times = TRY(repetition());
  if (times && times->copies() > limits::kPatternRepetitionsMax)
    return refuse(fmt::format("a group is repeated more than {} times", limits::kPatternRepetitionsMax));
  TRY_VOID(lengthen(length * (times ? times->copies() : 1)));
  return write(fmt::format("){}", times ? times->mark : ""));
}

Result<std::string> Reader::character_or_set() {
  if (is_at("[")) return bracketed();
  if (take("\\")) {
    const Characters characters = TRY(escaped());
    return characters.alone();
  }
  if (take(".")) return fmt::format("[^{}]", kLineEnds);
  return one(next_character(expression_, at_)).alone();
}

Result<Characters> Reader::escaped() {
  if (is_at_end()) return refuse("it ends with a backslash");
  const std::size_t begin = at_;
  const char32_t c = next_character(expression_, at_);
  switch (c) {
    case 'd':
    case 'D':
    case 'w':
    case 'W':
      return many(expression_.substr(begin - 1, 2));
    case 's':
      return many(kSpaces);
    case 'S':
      return many(kNoSpaces);
    case 't':
      return one(U'\t');
    case 'n':
      return one(U'\n');
    case 'v':
      return one(U'\v');
    case 'f':
      return one(U'\f');
    case 'r':
      return one(U'\r');
    case 'u':
      return one(TRY(unicode_escape()));
    case 'x':
      if (const auto value = hexadecimal(2)) return one(*value);
      return refuse("\\x needs two hexadecimal digits");
    case 'c':
      if (is_ascii_letter(here())) return one(static_cast<char32_t>(expression_[at_++] & 0x1F));
      return refuse("\\c needs a letter");
    case '0':
      if (!is_decimal(here())) return one(U'\0');
      return refuse("an octal escape is not supported");
    case 'p':
    case 'P':
      return refuse(fmt::format("a Unicode property (\\{}) is not supported", static_cast<char>(c)));
    case 'k':
      return refuse("a back-reference (\\k) is not supported");
    default:
      break;
  }
  if (is_decimal(c)) return refuse(fmt::format("a back-reference (\\{}) is not supported", static_cast<char>(c)));
  if (is_ascii_letter(c))
    return refuse(fmt::format("the escape \\{} is not known", expression_.substr(begin, at_ - begin)));
  return one(c);
}

std::optional<char32_t> Reader::hexadecimal(std::size_t digits) {
  char32_t value = 0;
  for (std::size_t i = 0; i < digits; ++i, ++at_) {
    const char32_t lower = here() | 0x20U;
    if (!is_decimal(here()) && (lower < 'a' || lower > 'f')) return std::nullopt;
    value = value * 16 + (is_decimal(here()) ? here() - '0' : lower - 'a' + 10);
  }
  return value;
}

Result<char32_t> Reader::unicode_escape() {
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

Result<std::string> Reader::bracketed() {
  take("[");
  const bool is_negated = take("^");
  std::string items;
  while (!take("]")) items += TRY(bracketed_range());
  // Brackets without anything between them are no brackets to RE2.
  if (items.empty()) return fmt::format("[{}{}]", is_negated ? "" : "^", kAnything);
  return fmt::format("[{}{}]", is_negated ? "^" : "", items);
}

Result<std::string> Reader::bracketed_range() {
  const Characters first = TRY(bracketed_item());
  if (!first.one || !is_at("-") || is_at("-]")) return first.between_brackets();
  take("-");
  const Characters last = TRY(bracketed_item());
  if (!last.one || *last.one < *first.one) return refuse("a range in brackets goes from a character to a later one");
  return first.between_brackets() + "-" + last.between_brackets();
}

Result<Characters> Reader::bracketed_item() {
  if (is_at_end()) return refuse("a bracket has no end");
  if (take("\\b")) return one(U'\b');
  if (take("\\")) return escaped();
  return one(next_character(expression_, at_));
}

std::optional<std::size_t> Reader::count() {
  constexpr std::size_t kMost = 1'000'000;  // nothing is repeated that often
  if (!is_decimal(here())) return std::nullopt;
  std::size_t value = 0;
  for (; is_decimal(here()); ++at_) value = std::min<std::size_t>(kMost, value * 10 + (here() - '0'));
  return value;
}

// {2}, {2,} or {2,3}; other braces stand for themselves.
std::optional<Repetition> Reader::counted_repetition() {
  const std::size_t begin = at_;
  take("{");
  if (const auto least = count()) {
    Repetition times{.least = *least, .most = least};
    if (take(",")) times.most = count();
    if (take("}")) return times;
  }
  at_ = begin;
  return std::nullopt;
}

Result<std::optional<Repetition>> Reader::repetition() {
  const std::size_t begin = at_;
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
  if (times->most && *times->most < times->least) return refuse("a repetition goes from more to fewer");
  times->is_lazy = take("?");
  times->mark = expression_.substr(begin, at_ - begin);
  return times;
}

// RE2 repeats a thing so often and no more; several in a row repeat it more often. Of a group that would make
// several groups.
Result<void> Reader::repeat_characters(const std::string& characters, const Repetition& times) {
  if (times.copies() <= limits::kPatternRepetitionsMax) return write(characters + std::string(times.mark));
  const std::string_view laziness = times.is_lazy ? "?" : "";
  const auto write_in_parts = [&](std::size_t all, std::string_view least) {
    for (std::size_t part = 0; all > 0; all -= part) {
      part = std::min(all, limits::kPatternRepetitionsMax);
      syntax_.re2 += fmt::format("{}{{{}{}}}{}", characters, least, part, laziness);
    }
  };
  write_in_parts(times.least, "");
  if (!times.most) return write(fmt::format("{}*{}", characters, laziness));
  write_in_parts(*times.most - times.least, "0,");
  return {};
}

Result<PatternSyntax> Reader::run() {
  if (expression_.size() > limits::kPatternMaxBytes)
    return fail(Code::invalid, fmt::format("the regular expression has {} bytes, the limit is {}", expression_.size(),
                                           limits::kPatternMaxBytes));
  while (!is_at_end()) TRY_VOID(term());
  if (lengths_.size() > 1) return refuse("a group has no end");
  return std::move(syntax_);
}

}  // namespace

Result<PatternSyntax> read_pattern_syntax(std::string_view expression) { return Reader(expression).run(); }

tl::unexpected<Error> refuse_pattern(std::string_view expression, std::string_view why) {
  return fail(Code::invalid,
              fmt::format("{} is not a regular expression that can be used: {}", quoted(expression, 100), why),
              "Use ECMAScript syntax without lookaround and back-references");
}

}  // namespace teamster
