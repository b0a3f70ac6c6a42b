// A Markdown checklist as a work list: `- [ ] text`, in order; items that carry the group's mark
// and follow each other may be done together. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace teamster::engine {

struct ChecklistItem {
  std::int64_t number = 0;  // in the list, from 1
  std::string text;         // without the box and the mark
  bool is_checked = false;
  bool is_marked = false;
};

std::vector<ChecklistItem> read_checklist(std::string_view text, std::string_view mark);

// The first item that is not checked, and with it those after it that may be done together. Those with these numbers
// count as checked.
std::vector<ChecklistItem> next_items(std::string_view text, std::string_view mark,
                                      const std::vector<std::int64_t>& left_out = {});

// The text with this item checked and nothing else changed. The item is the one of that number if it says `item`, else
// the only one that does: people write into such lists. An item that is checked already is left as it is.
Result<std::string> ticked_text(std::string_view text, std::int64_t number, std::string_view item);

}  // namespace teamster::engine
