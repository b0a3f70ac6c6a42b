#include "base/json_text.h"

#include <array>
#include <charconv>
#include <cstring>

#include <nlohmann/json.hpp>

#include "base/text.h"

namespace teamster {
namespace {

constexpr auto kReplace = Json::error_handler_t::replace;

template <class Number>
void append_number(std::string& out, Number number) {
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), end);
}

// Whether all of it stands in a JSON string as it is: ASCII without control characters, quotes
// and backslashes. Eight bytes at a time, and all of them, because that is faster than to stop early.
bool is_plain(std::string_view text) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  constexpr std::uint64_t kHighBits = 0x8080808080808080;
  std::uint64_t found =
      0;  // a high bit for each byte that is not plain; what the sums carry over lies above one that is
  const char* at = text.data();
  const char* end = at + text.size();
  for (std::uint64_t bytes = 0; static_cast<std::size_t>(end - at) >= sizeof bytes; at += sizeof bytes) {
    std::memcpy(&bytes, at, sizeof bytes);
    const std::uint64_t quotes = bytes ^ (kOnes * '"');
    const std::uint64_t backslashes = bytes ^ (kOnes * '\\');
    found |= bytes | (bytes - kOnes * 0x20) | (quotes - kOnes) | (backslashes - kOnes);
  }
  bool is_other = (found & kHighBits) != 0;
  for (; at != end; ++at) is_other |= *at < 0x20 || *at == '"' || *at == '\\';
  return !is_other;
}

// Room for this many bytes at the end, which the caller fills.
char* grow(std::string& out, std::size_t bytes) {
  const std::size_t size = out.size();
  out.resize(size + bytes);
  return out.data() + size;
}

char* put(char* to, std::string_view text) {
  std::memcpy(to, text.data(), text.size());
  return to + text.size();
}

void append_escape(std::string& out, char c) {
  static constexpr std::string_view kPlain = "\"\\\b\f\n\r\t";
  static constexpr std::string_view kLetters = "\"\\bfnrt";
  static constexpr std::string_view kDigits = "0123456789abcdef";
  if (const auto letter = kPlain.find(c); letter != std::string_view::npos) {
    out += '\\';
    out += kLetters[letter];
    return;
  }
  out += "\\u00";
  out += kDigits[static_cast<unsigned char>(c) >> 4U];
  out += kDigits[static_cast<unsigned char>(c) & 0xFU];
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  if (is_plain(text)) {  // nearly always
    char* to = grow(out, text.size() + 2);
    *to++ = '"';
    *put(to, text) = '"';
    return;
  }
  if (find_invalid_utf8(text)) {
    out += Json(text).dump(-1, ' ', false, kReplace);
    return;
  }
  out += '"';
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t start = at;
    while (at < text.size() && text[at] != '"' && text[at] != '\\' && static_cast<unsigned char>(text[at]) >= 0x20)
      ++at;
    out.append(text.substr(start, at - start));
    if (at < text.size()) append_escape(out, text[at]);
  }
  out += '"';
}

void append_json(std::string& out, const Json& json) {
  char separator = 0;
  switch (json.type()) {
    case Json::value_t::object:
      if (json.empty()) out += '{';
      for (const auto& [name, value] : json.get_ref<const Json::object_t&>()) {
        out += std::exchange(separator, ',') == 0 ? '{' : ',';
        append_json_string(out, name);
        out += ':';
        append_json(out, value);
      }
      out += '}';
      return;
    case Json::value_t::array:
      if (json.empty()) out += '[';
      for (const auto& value : json) {
        out += std::exchange(separator, ',') == 0 ? '[' : ',';
        append_json(out, value);
      }
      out += ']';
      return;
    case Json::value_t::string:
      return append_json_string(out, json.get_ref<const std::string&>());
    case Json::value_t::number_integer:
      return append_number(out, json.get<std::int64_t>());
    case Json::value_t::number_unsigned:
      return append_number(out, json.get<std::uint64_t>());
    default:
      out += json.dump(-1, ' ', false, kReplace);
  }
}

void JsonObjectText::begin(std::string_view name) {
  const bool is_first = text_.size() == 1;
  char* to = grow(text_, name.size() + (is_first ? 3 : 4));
  if (!is_first) *to++ = ',';
  *to++ = '"';
  put(put(to, name), "\":");
}

JsonObjectText& JsonObjectText::add(std::string_view name, std::int64_t value) {
  begin(name);
  append_number(text_, value);
  return *this;
}

JsonObjectText& JsonObjectText::add(std::string_view name, std::string_view value) {
  begin(name);
  append_json_string(text_, value);
  return *this;
}

JsonObjectText& JsonObjectText::add_json(std::string_view name, std::string_view json) {
  begin(name);
  text_ += json;
  return *this;
}

}  // namespace teamster
