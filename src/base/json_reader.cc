#include "base/json_reader.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace teamster {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// `point` is a scalar value: not a surrogate, not over 0x10FFFF.
void append_utf8(std::string& out, unsigned point) {
  const auto add = [&](unsigned byte) { out += static_cast<char>(byte); };
  if (point < 0x80) return add(point);
  if (point < 0x800) {
    add(0xC0U | point >> 6U);
  } else {
    if (point < 0x10000) {
      add(0xE0U | point >> 12U);
    } else {
      add(0xF0U | point >> 18U);
      add(0x80U | (point >> 12U & 0x3FU));
    }
    add(0x80U | (point >> 6U & 0x3FU));
  }
  add(0x80U | (point & 0x3FU));
}

bool is_high_surrogate(unsigned unit) { return unit >= 0xD800 && unit <= 0xDBFF; }
bool is_low_surrogate(unsigned unit) { return unit >= 0xDC00 && unit <= 0xDFFF; }

}  // namespace

Result<Json> JsonReader::read() {
  Json value;
  skip_space();
  bool is_good = read_value(value, 0);
  if (is_good) {
    skip_space();
    is_good = at_ == text_.size();
  }
  if (is_good) return value;
  return fail(Code::invalid, problem_.empty() ? fmt::format("not valid JSON at byte {}", at_) : problem_);
}

bool JsonReader::read_value(Json& into, std::size_t depth) {
  if (at_ == text_.size()) return false;
  switch (text_[at_]) {
    case '{':
      return read_object(into, depth + 1);
    case '[':
      return read_array(into, depth + 1);
    case '"':
      into = std::string();
      return read_string(into.get_ref<std::string&>());
    case 't':
      into = true;
      return read_word("true");
    case 'f':
      into = false;
      return read_word("false");
    case 'n':
      into = nullptr;
      return read_word("null");
    default:
      return read_number(into);
  }
}

bool JsonReader::enter(std::size_t depth) {
  if (depth > max_depth_) {
    problem_ = fmt::format("JSON is nested deeper than {} levels at byte {}", max_depth_, at_);
    return false;
  }
  ++at_;
  skip_space();
  return true;
}

bool JsonReader::read_object(Json& into, std::size_t depth) {
  if (!enter(depth)) return false;
  into = Json::object();
  auto& object = into.get_ref<Json::object_t&>();
  if (take('}')) return true;
  while (true) {
    std::string key;
    if (!is_next('"') || !read_string(key)) return false;
    skip_space();
    if (!take(':')) return false;
    skip_space();
    // The last of equal keys counts.
    const auto entry = object.insert_or_assign(object.end(), std::move(key), Json());
    if (!read_value(entry->second, depth)) return false;
    skip_space();
    if (take('}')) return true;
    if (!take(',')) return false;
    skip_space();
  }
}

bool JsonReader::read_array(Json& into, std::size_t depth) {
  if (!enter(depth)) return false;
  into = Json::array();
  auto& array = into.get_ref<Json::array_t&>();
  if (take(']')) return true;
  while (true) {
    if (!read_value(array.emplace_back(), depth)) return false;
    skip_space();
    if (take(']')) return true;
    if (!take(',')) return false;
    skip_space();
  }
}

bool JsonReader::read_string(std::string& into) {
  ++at_;
  while (true) {
    const std::size_t start = at_;
    unsigned char bits = 0;  // of all bytes together: none is over 0x7F if it is not
    for (; at_ < text_.size(); ++at_) {
      const auto byte = static_cast<unsigned char>(text_[at_]);
      if (byte == '"' || byte == '\\' || byte < 0x20) break;
      bits |= byte;
    }
    const std::string_view run = text_.substr(start, at_ - start);
    if (const auto bad = bits > 0x7F ? find_invalid_utf8(run) : std::nullopt) {
      at_ = start + *bad;
      return false;
    }
    into.append(run);
    if (take('"')) return true;
    if (!take('\\') || !read_escape(into)) return false;
  }
}

bool JsonReader::read_escape(std::string& into) {
  static constexpr std::string_view kLetters = "\"\\/bfnrt";
  static constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  if (at_ == text_.size()) return false;
  if (const auto letter = kLetters.find(text_[at_]); letter != std::string_view::npos) {
    ++at_;
    into += kMeanings[letter];
    return true;
  }
  unsigned point = 0;
  if (!take('u') || !read_code_unit(point) || is_low_surrogate(point)) return false;
  if (is_high_surrogate(point)) {
    unsigned low = 0;
    if (!take('\\') || !take('u') || !read_code_unit(low) || !is_low_surrogate(low)) return false;
    point = 0x10000 + ((point - 0xD800) << 10U) + (low - 0xDC00);
  }
  append_utf8(into, point);
  return true;
}

bool JsonReader::read_code_unit(unsigned& unit) {
  constexpr std::size_t kHexDigits = 4;
  if (text_.size() - at_ < kHexDigits) return false;
  const char* first = text_.data() + at_;
  const auto [end, error] = std::from_chars(first, first + kHexDigits, unit, 16);
  if (error != std::errc{} || end != first + kHexDigits) return false;
  at_ += kHexDigits;
  return true;
}

bool JsonReader::skip_digits() {
  const std::size_t start = at_;
  while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
  return at_ > start;
}

bool JsonReader::read_number(Json& into) {
  const std::size_t start = at_;
  const bool is_negative = take('-');
  const bool starts_with_zero = is_next('0');
  if (!skip_digits()) return false;
  if (starts_with_zero && at_ - start > (is_negative ? 2U : 1U)) return false;
  bool is_whole = true;
  if (take('.')) {
    is_whole = false;
    if (!skip_digits()) return false;
  }
  if (is_next('e') || is_next('E')) {
    is_whole = false;
    ++at_;
    if (!take('+')) take('-');
    if (!skip_digits()) return false;
  }
  const char* first = text_.data() + start;
  const char* last = text_.data() + at_;
  std::int64_t negative = 0;
  std::uint64_t positive = 0;
  double real = 0;
  if (is_whole && is_negative && std::from_chars(first, last, negative).ec == std::errc{}) {
    into = negative;
  } else if (is_whole && !is_negative && std::from_chars(first, last, positive).ec == std::errc{}) {
    into = positive;
  } else if (std::from_chars(first, last, real).ec == std::errc{}) {
    into = real;
  } else if (const double extreme = std::strtod(std::string(first, last).c_str(), nullptr); !std::isinf(extreme)) {
    into = extreme;  // too small to tell from zero
  } else {
    problem_ = fmt::format("not valid JSON: the number at byte {} does not fit", start);
    return false;
  }
  return true;
}

bool JsonReader::read_word(std::string_view word) {
  if (!text_.substr(at_).starts_with(word)) return false;
  at_ += word.size();
  return true;
}

void JsonReader::skip_space() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t'))
    ++at_;
}

bool JsonReader::take(char c) {
  if (!is_next(c)) return false;
  ++at_;
  return true;
}

}  // namespace teamster
