#include "yaml/lines.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace teamster::workflow {
namespace {

// Far out in a line bytes are counted, not characters: nobody looks there, and a file may be one
// line of a megabyte with a problem in every byte.
std::size_t count_characters(std::string_view text) {
  constexpr std::size_t kCountedBytes = 200;
  const std::string_view near = text.substr(0, kCountedBytes);
  const auto count = std::count_if(near.begin(), near.end(), [](unsigned char c) { return (c & 0xC0U) != 0x80U; });
  return static_cast<std::size_t>(count) + text.size() - near.size();
}

bool is_forbidden(std::string_view text, std::size_t at) {
  const auto c = static_cast<unsigned char>(text[at]);
  if (c == '\r') return at + 1 >= text.size() || text[at + 1] != '\n';
  return (c < 0x20 && c != '\n' && c != '\t') || c == 0x7F;
}

}  // namespace

Lines::Lines(std::string_view text) : text_(text), starts_{0} {
  for (std::size_t at = 0; at < text.size(); ++at)
    if (text[at] == '\n') starts_.push_back(at + 1);
}

Place Lines::place(std::size_t line, std::size_t byte_in_line) const {
  if (line >= starts_.size()) return {starts_.size(), 1};
  const std::string_view rest = text_.substr(starts_[line]);
  return {line + 1, count_characters(rest.substr(0, byte_in_line)) + 1};
}

Place Lines::place_of_byte(std::size_t at) const {
  const auto next = std::upper_bound(starts_.begin(), starts_.end(), at);
  const auto line = static_cast<std::size_t>(next - starts_.begin()) - 1;
  return place(line, at - starts_[line]);
}

std::optional<Unreadable> find_unreadable(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at)
    if (is_forbidden(text, at))
      return Unreadable{
          at, fmt::format("the byte 0x{:02x} is not allowed in a text file", static_cast<unsigned char>(text[at]))};
  if (const auto at = find_invalid_utf8(text)) return Unreadable{*at, "not UTF-8 from here on: save the file as UTF-8"};
  return std::nullopt;
}

}  // namespace teamster::workflow
