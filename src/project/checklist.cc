#include "project/checklist.h"

#include <algorithm>

#include "base/text.h"

namespace teamster::engine {
namespace {

// The text after "- [x]", or npos. Deeper items are part of the one above.
bool take_box(std::string_view line, std::string_view& rest, bool& is_checked) {
  constexpr std::size_t kBoxBytes = 5;
  if (line.size() < kBoxBytes || (line[0] != '-' && line[0] != '*') || line[1] != ' ' || line[2] != '[' ||
      line[4] != ']')
    return false;
  if (line[3] != ' ' && line[3] != 'x' && line[3] != 'X') return false;
  is_checked = line[3] != ' ';
  rest = line.substr(kBoxBytes);
  return true;
}

}  // namespace

std::vector<ChecklistItem> read_checklist(std::string_view text, std::string_view mark) {
  std::vector<ChecklistItem> items;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    std::string_view rest;
    ChecklistItem item;
    if (!take_box(line, rest, item.is_checked)) continue;
    item.number = static_cast<std::int64_t>(items.size()) + 1;
    item.text = rest;
    if (const std::size_t at = item.text.find(mark); !mark.empty() && at != std::string::npos) {
      item.is_marked = true;
      item.text.erase(at, mark.size());
    }
    item.text = trimmed(item.text);
    items.push_back(std::move(item));
  }
  return items;
}

std::vector<ChecklistItem> next_items(std::string_view text, std::string_view mark) {
  std::vector<ChecklistItem> together;
  for (auto& item : read_checklist(text, mark)) {
    if (item.is_checked) {
      if (!together.empty()) break;
      continue;
    }
    if (!together.empty() && !(item.is_marked && together.front().is_marked)) break;
    together.push_back(std::move(item));
  }
  return together;
}

}  // namespace teamster::engine
