#include "project/markdown.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"

namespace teamster::engine {
namespace {

constexpr std::size_t kDeepestHeading = 6;

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

bool is_fence(std::string_view line) {
  line = trimmed(line);
  return line.starts_with("```") || line.starts_with("~~~");
}

// How deep a heading is: 2 for "## Dependencies"; 0 for other lines.
std::size_t heading_level(std::string_view line) {
  const std::size_t level = std::min(line.find_first_not_of('#'), line.size());
  const bool is_heading = level > 0 && level <= kDeepestHeading && (level == line.size() || line[level] == ' ');
  return is_heading ? level : 0;
}

// "4.2 " of a heading whose sections are numbered.
std::string_view without_number(std::string_view title) {
  const std::size_t end = std::min(title.find_first_not_of("0123456789.)"), title.size());
  const bool is_number = end > 0 && title.front() >= '0' && title.front() <= '9' && title.substr(end).starts_with(' ');
  return is_number ? trimmed(title.substr(end)) : title;
}

std::string title_of(std::string_view line) {
  line.remove_prefix(heading_level(line));
  line = without_number(trimmed(line));
  while (line.ends_with('#') || line.ends_with(':') || line.ends_with(' ')) line.remove_suffix(1);
  return lowercase(trimmed(line));
}

std::vector<std::string> cells_of(std::string_view row) {
  row = trimmed(row);
  if (row.starts_with('|')) row.remove_prefix(1);
  if (row.ends_with('|') && !row.ends_with("\\|")) row.remove_suffix(1);
  std::vector<std::string> cells(1);
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] == '\\' && i + 1 < row.size() && row[i + 1] == '|') {
      cells.back() += row[++i];
    } else if (row[i] == '|') {
      cells.emplace_back();
    } else {
      cells.back() += row[i];
    }
  }
  for (auto& cell : cells) cell = std::string(trimmed(cell));
  return cells;
}

bool is_row(std::string_view line) { return trimmed(line).starts_with('|'); }

// "|---|:--:|": what makes a table of the row above it.
bool is_rule(std::string_view line) {
  return is_row(line) && line.find('-') != line.npos && trimmed(line).find_first_not_of("|-: \t") == line.npos;
}

}  // namespace

std::string lowercase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

std::optional<std::vector<std::string>> section_of(std::string_view text, std::string_view heading) {
  const std::string wanted = lowercase(trimmed(heading));
  std::optional<std::vector<std::string>> section;
  std::size_t depth = 0;
  bool is_code = false;
  for (const auto line : lines_of(text)) {
    if (is_fence(line)) {
      is_code = !is_code;
      continue;
    }
    if (is_code) continue;
    const std::size_t level = heading_level(line);
    if (section && level > 0 && level <= depth) break;
    if (section) {
      section->emplace_back(line);
    } else if (level > 0 && title_of(line) == wanted) {
      section.emplace();
      depth = level;
    }
  }
  return section;
}

std::map<std::string, std::vector<std::string>> entries_by_heading(std::string_view text) {
  std::map<std::string, std::vector<std::string>> sections;
  std::vector<std::string>* current = nullptr;
  bool is_entry = false;  // the line before was one, or went on with one
  bool is_code = false;
  for (const auto line : lines_of(text)) {
    const std::string_view words = trimmed(line);
    if (is_fence(line)) is_code = !is_code;
    if (!is_code && heading_level(line) > 0) {
      current = &sections[title_of(line)];
      is_entry = false;
    } else if (current != nullptr && (words.starts_with("- ") || words.starts_with("* "))) {
      current->emplace_back(trimmed(words.substr(2)));
      is_entry = true;
    } else if (is_entry && !words.empty()) {
      current->back().append(" ").append(words);
    } else {
      is_entry = false;
    }
  }
  return sections;
}

std::vector<std::vector<std::string>> table_of(const std::vector<std::string>& lines) {
  std::vector<std::vector<std::string>> table;
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    if (!is_row(lines[i]) || !is_rule(lines[i + 1])) continue;
    table.push_back(cells_of(lines[i]));
    for (i += 2; i < lines.size() && is_row(lines[i]); ++i) {
      table.push_back(cells_of(lines[i]));
      table.back().resize(table.front().size());
    }
    break;
  }
  return table;
}

}  // namespace teamster::engine
