// Table: rows of printable text in aligned columns. Where it is too wide for the terminal the widest columns are
// narrowed and their texts broken between words; nothing is ever cut off. A value.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace teamster::cli {

class Table {
 public:
  explicit Table(std::vector<std::string> headings) { add(std::move(headings)); }

  // May be coloured.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  // Lines of at most `columns`, headings first; 0: as wide as they are.
  std::vector<std::string> lines(std::size_t columns) const;
  std::string text(std::size_t columns) const;

 private:
  std::vector<std::size_t> widths(std::size_t columns) const;

  std::vector<std::vector<std::string>> rows_;
};

}  // namespace teamster::cli
