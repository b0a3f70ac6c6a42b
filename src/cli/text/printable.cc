#include "cli/text/printable.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"

namespace teamster::cli {
namespace {

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t bytes = 1;
};

// The first code point of text that is valid UTF-8.
CodePoint first_code_point(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (bytes > text.size()) return {0xFFFD, 1};
  std::uint32_t value = first & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) value = (value << 6U) | (byte(i) & 0x3FU);
  return {value, bytes};
}

bool is_between(std::uint32_t point, std::uint32_t first, std::uint32_t last) {
  return point >= first && point <= last;
}

// What a terminal acts on instead of showing it.
bool is_hostile(std::uint32_t point) {
  return point < 0x20 || is_between(point, 0x7F, 0x9F) || point == 0x061C || is_between(point, 0x200E, 0x200F) ||
         is_between(point, 0x2028, 0x202E) || is_between(point, 0x2066, 0x2069);
}

std::size_t columns_of_point(std::uint32_t point) {
  if (is_between(point, 0x300, 0x36F) || is_between(point, 0x200B, 0x200D) || is_between(point, 0xFE00, 0xFE0F))
    return 0;
  const bool is_wide =
      is_between(point, 0x1100, 0x115F) || is_between(point, 0x2E80, 0xA4CF) || is_between(point, 0xAC00, 0xD7A3) ||
      is_between(point, 0xF900, 0xFAFF) || is_between(point, 0xFE30, 0xFE6F) || is_between(point, 0xFF00, 0xFF60) ||
      is_between(point, 0xFFE0, 0xFFE6) || is_between(point, 0x1F300, 0x1FAFF) || is_between(point, 0x20000, 0x3FFFD);
  return is_wide ? 2 : 1;
}

// Bytes of the colour of ours that the text begins with; 0: it begins with none. Those of others are escaped before.
std::size_t colour_bytes(std::string_view text) {
  if (!text.starts_with("\x1b[")) return 0;
  const std::size_t end = text.find('m');
  return end == std::string_view::npos ? 0 : end + 1;
}

void append_escape(std::string& out, std::uint32_t point) {
  if (point == '\n')
    out += "\\n";
  else if (point == '\t')
    out += "\\t";
  else
    out += point < 0x80 ? fmt::format("\\x{:02x}", point) : fmt::format("\\u{:04x}", point);
}

void append_printable(std::string& out, std::string_view valid, bool keep_tabs) {
  while (!valid.empty()) {
    const auto [point, bytes] = first_code_point(valid);
    if (is_hostile(point) && !(keep_tabs && point == '\t'))
      append_escape(out, point);
    else
      out.append(valid.substr(0, bytes));
    valid.remove_prefix(bytes);
  }
}

std::string printable(std::string_view text, bool keep_tabs) {
  std::string out;
  while (const auto bad = find_invalid_utf8(text)) {
    append_printable(out, text.substr(0, *bad), keep_tabs);
    out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[*bad]));
    text.remove_prefix(*bad + 1);
  }
  append_printable(out, text, keep_tabs);
  return out;
}

}  // namespace

std::string printable_line(std::string_view text) { return printable(text, false); }

std::string printable_block(std::string_view text, std::string_view indent) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out.append(indent).append(printable(text.substr(0, end), true)).append("\n");
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string printable_note(std::string_view text, std::string_view indent) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  return printable(text.substr(0, end), true) + "\n" +
         printable_block(text.substr(std::min(end + 1, text.size())), indent);
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    if (const std::size_t colour = colour_bytes(text); colour > 0) {
      text.remove_prefix(colour);
      continue;
    }
    const auto [point, bytes] = first_code_point(text);
    columns += columns_of_point(point);
    text.remove_prefix(bytes);
  }
  return columns;
}

std::string cut_to_columns(std::string_view text, std::size_t columns) {
  if (columns_of(text) <= columns) return std::string(text);
  std::string out;
  std::size_t used = 0;
  while (!text.empty()) {
    const auto [point, bytes] = first_code_point(text);
    used += columns_of_point(point);
    if (used + 1 > columns) break;
    out.append(text.substr(0, bytes));
    text.remove_prefix(bytes);
  }
  return out + "…";
}

std::string wrapped(std::string_view text, std::size_t columns, std::string_view indent) {
  std::string out(indent);
  std::size_t used = indent.size();
  bool line_is_empty = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    if (!line_is_empty && used + 1 + columns_of(word) > columns) {
      out.append("\n").append(indent);
      used = indent.size();
      line_is_empty = true;
    }
    if (!line_is_empty) out += ' ', ++used;
    out.append(word);
    used += columns_of(word);
    line_is_empty = false;
  }
  return out;
}

namespace {

// One line that is too wide.
void append_fitted(std::string& out, std::string_view line, std::size_t columns, std::size_t hang) {
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  const std::string rest_indent(std::min(indent + hang, columns / 2), ' ');
  std::size_t used = 0;
  bool is_first = true;  // word of the line that is written now
  while (!line.empty()) {
    const std::size_t gap = std::min(line.find_first_not_of(' '), line.size());
    const std::string_view word = line.substr(gap, std::min(line.find(' ', gap), line.size()) - gap);
    if (word.empty()) break;
    const std::size_t width = columns_of(word);
    if (!is_first && used + gap + width > columns) {
      out.append("\n").append(rest_indent).append(word);
      used = rest_indent.size() + width;
    } else {
      out.append(line.substr(0, gap)).append(word);
      used += gap + width;
    }
    is_first = false;
    line.remove_prefix(gap + word.size());
  }
}

}  // namespace

std::string fitted(std::string_view text, std::size_t columns, std::size_t hang) {
  if (columns == 0) return std::string(text);
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (columns_of(line) <= columns)
      out.append(line);
    else
      append_fitted(out, line, columns, hang);
    if (end < text.size()) out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace teamster::cli
