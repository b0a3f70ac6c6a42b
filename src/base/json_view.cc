#include "base/json_view.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

#include <nlohmann/json.hpp>

#include "base/json.h"

namespace teamster {
namespace {

// What a byte means to who only looks for the end of a value.
enum class Meaning : std::uint8_t { none, quote, opens, closes, comma, space };

constexpr std::array<Meaning, 256> kMeanings = [] {
  std::array<Meaning, 256> meanings{};
  meanings['"'] = Meaning::quote;
  meanings['{'] = meanings['['] = Meaning::opens;
  meanings['}'] = meanings[']'] = Meaning::closes;
  meanings[','] = Meaning::comma;
  for (const char c : {' ', '\n', '\r', '\t'}) meanings[static_cast<unsigned char>(c)] = Meaning::space;
  return meanings;
}();

Meaning meaning(char c) { return kMeanings[static_cast<unsigned char>(c)]; }

// The first quote, or `end`. Eight bytes at a time: most strings of our texts are short, and a call of memchr for each
// costs more than to look.
const char* find_quote(const char* at, const char* end) {
  constexpr std::uint64_t kQuotes = 0x2222222222222222;
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kHighBits = 0x8080808080808080;
  if constexpr (std::endian::native == std::endian::little) {
    for (std::uint64_t bytes = 0; static_cast<std::size_t>(end - at) >= sizeof bytes; at += sizeof bytes) {
      std::memcpy(&bytes, at, sizeof bytes);
      bytes ^= kQuotes;  // a quote is a zero now; the lowest that this finds is one
      const std::uint64_t zeros = (bytes - kOnes) & ~bytes & kHighBits;
      if (zeros != 0) return at + std::countr_zero(zeros) / 8;
    }
  }
  return std::find(at, end, '"');
}

template <class Number>
std::optional<Number> whole_text_as_number(std::string_view text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stopped != end) return std::nullopt;
  return number;
}

}  // namespace

std::optional<std::string> JsonView::string() const {
  if (text_.size() < 2 || !is_text()) return std::nullopt;
  if (inside().find('\\') == std::string_view::npos) return std::string(inside());
  auto json = parse_json(text_);
  if (!json || !json->is_string()) return std::nullopt;
  return std::move(json->get_ref<std::string&>());
}

std::optional<std::int64_t> JsonView::integer() const { return whole_text_as_number<std::int64_t>(text_); }

std::optional<double> JsonView::number() const { return whole_text_as_number<double>(text_); }

JsonView JsonView::field(std::string_view name) const {
  JsonCursor cursor(text_);
  if (!cursor.enter_object()) return {};
  std::string_view each;
  while (cursor.next_field(each)) {
    const JsonView value = cursor.skip();
    if (each == name) return value;
  }
  return {};
}

inline void JsonCursor::skip_space() {
  while (at_ < end_ && meaning(*at_) == Meaning::space) ++at_;
}

inline void JsonCursor::skip_comma() {
  skip_space();
  if (at_ == end_ || *at_ != ',') return;
  ++at_;
  skip_space();
}

inline bool JsonCursor::take(char c) {
  skip_space();
  if (at_ == end_ || *at_ != c) return false;
  ++at_;
  return true;
}

// Past the quote at its end, or to the end of the text.
inline void JsonCursor::skip_string() {
  ++at_;
  while (true) {
    const char* quote = find_quote(at_, end_);
    // After an odd number of backslashes it is a character of the string.
    const char* before = quote;
    while (before > at_ && before[-1] == '\\') --before;
    at_ = quote == end_ ? end_ : quote + 1;
    if (quote == end_ || (quote - before) % 2 == 0) return;
  }
}

// Past the bracket that closes the one here.
void JsonCursor::skip_nested() {
  std::size_t depth = 0;
  do {
    const Meaning here = meaning(*at_);
    if (here == Meaning::quote) {
      skip_string();
      continue;
    }
    ++at_;
    if (here == Meaning::opens) ++depth;
    if (here == Meaning::closes) --depth;
  } while (depth != 0 && at_ < end_);
}

bool JsonCursor::enter_object() { return take('{'); }

bool JsonCursor::enter_list() { return take('['); }

bool JsonCursor::next_field(std::string_view& name) {
  skip_comma();
  if (at_ == end_ || *at_ != '"') {
    take('}');
    return false;
  }
  const char* start = at_ + 1;
  skip_string();
  name = std::string_view(start, static_cast<std::size_t>(at_ - start) - (at_ > start ? 1 : 0));
  return take(':');
}

bool JsonCursor::next_item() {
  skip_comma();
  return at_ < end_ && !take(']');
}

JsonView JsonCursor::skip() {
  skip_space();
  const char* start = at_;
  if (at_ < end_ && *at_ == '"')
    skip_string();
  else if (at_ < end_ && meaning(*at_) == Meaning::opens)
    skip_nested();
  else
    while (at_ < end_ && meaning(*at_) == Meaning::none) ++at_;
  const JsonView value({start, static_cast<std::size_t>(at_ - start)});
  // Where no value is, nothing comes after it either: who walks must get to an end.
  if (at_ == start) at_ = end_;
  return value;
}

}  // namespace teamster
