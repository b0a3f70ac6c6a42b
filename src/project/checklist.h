// A Markdown checklist as a work list: `- [ ] text`, in order; items that carry the group's mark
// and follow each other may be done together. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace teamster::engine {

struct ChecklistItem {
  std::int64_t number = 0;  // in the list, from 1
  std::string text;         // without the box and the mark
  bool is_checked = false;
  bool is_marked = false;
};

std::vector<ChecklistItem> read_checklist(std::string_view text, std::string_view mark);

// The first item that is not checked, and with it those after it that may be done together.
std::vector<ChecklistItem> next_items(std::string_view text, std::string_view mark);

}  // namespace teamster::engine
