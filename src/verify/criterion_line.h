// CriterionLine: one line of a manifest as a criterion: `[ID] text | Verify: how`. Says of a line that looks like a
// criterion and is none what is wrong with it. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace teamster::verify {

struct CriterionLine {
  enum class Kind { none, criterion, mistaken };
  Kind kind = Kind::none;
  std::string id = {};
  std::string text = {};
  bool is_covered = false;
  std::vector<std::string> covered_by = {};
  std::string problem = {};  // of a mistaken one
};

struct LineContext {
  bool is_item = true;            // else a line of a paragraph
  bool is_among_criteria = true;  // in a section of criteria: there an item that begins with an id is one
};

// `text` without the marker of the list item.
CriterionLine read_criterion_line(std::string_view text, LineContext context);

// Whether a whole line of the file is a criterion beyond doubt.
bool is_criterion_line(std::string_view line);

}  // namespace teamster::verify
