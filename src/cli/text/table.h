// Table: rows of printable text in aligned columns, at most 80 wide: the last column is
// cut to what is left.
#pragma once

#include <string>
#include <vector>

namespace teamster::cli {

class Table {
 public:
  explicit Table(std::vector<std::string> headings) { add(std::move(headings)); }

  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  // Lines, headings first.
  std::vector<std::string> lines() const;
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace teamster::cli
