#include "cli/text/table.h"

#include <algorithm>
#include <numeric>

#include "cli/text/printable.h"

namespace teamster::cli {
namespace {

constexpr std::size_t kGap = 2;

std::size_t longest_word(std::string_view text) {
  std::size_t longest = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    longest = std::max(longest, columns_of(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return longest;
}

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

}  // namespace

std::vector<std::size_t> Table::widths(std::size_t columns) const {
  std::vector<std::size_t> widths;
  std::vector<std::size_t> least;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    least.resize(widths.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], columns_of(row[i]));
      least[i] = std::max(least[i], longest_word(row[i]));
    }
  }
  std::size_t all = std::accumulate(widths.begin(), widths.end(), kGap * (widths.size() - 1));
  while (columns > 0 && all > columns) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i)
      if (widths[i] > least[i] && (widest == widths.size() || widths[i] > widths[widest])) widest = i;
    if (widest == widths.size()) break;  // no word can be narrower
    --widths[widest];
    --all;
  }
  return widths;
}

std::vector<std::string> Table::lines(std::size_t columns) const {
  const auto widths = this->widths(columns);
  std::vector<std::string> lines;
  for (const auto& row : rows_) {
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 1;
    for (std::size_t i = 0; i < row.size(); ++i) {
      cells.push_back(split_lines(fitted(row[i], widths[i], 0)));
      height = std::max(height, cells.back().size());
    }
    for (std::size_t at = 0; at < height; ++at) {
      std::string line;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::string part = at < cells[i].size() ? cells[i][at] : std::string();
        line += part;
        line.append(widths[i] - std::min(widths[i], columns_of(part)) + kGap, ' ');
      }
      line.erase(line.find_last_not_of(' ') + 1);
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

std::string Table::text(std::size_t columns) const {
  std::string text;
  for (const auto& line : lines(columns)) text += line + "\n";
  return text;
}

}  // namespace teamster::cli
