#include "cli/text/table.h"

#include <algorithm>

#include "cli/text/printable.h"

namespace teamster::cli {
namespace {

constexpr std::size_t kColumns = 80;
constexpr std::size_t kGap = 2;
constexpr std::size_t kLastColumnLeast = 16;

}  // namespace

std::vector<std::string> Table::lines() const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], columns_of(row[i]));
  }
  std::size_t before_last = 0;
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) before_last += widths[i] + kGap;
  const std::size_t last_width = std::max(kLastColumnLeast, kColumns - std::min(kColumns, before_last));

  std::vector<std::string> lines;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool is_last = i + 1 == widths.size();
      line += is_last ? cut_to_columns(row[i], last_width) : row[i];
      if (!is_last) line.append(widths[i] - columns_of(row[i]) + kGap, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string Table::text() const {
  std::string text;
  for (const auto& line : lines()) text += line + "\n";
  return text;
}

}  // namespace teamster::cli
