#include "project/checklist.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

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

// Marks that are left out of an item's text may stand anywhere in its line.
bool is_said_in(std::string_view line, std::string_view item) {
  std::size_t at = 0;
  for (std::size_t from = 0; from < item.size();) {
    const std::size_t end = std::min(item.find(' ', from), item.size());
    const std::string_view word = item.substr(from, end - from);
    at = line.find(word, at);
    if (at == std::string_view::npos) return false;
    at += word.size();
    from = end + 1;
  }
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

Result<std::string> ticked_text(std::string_view text, std::int64_t number, std::string_view item) {
  // Places of the marks in the boxes of lines that say it, and the one of that number among them.
  std::vector<std::size_t> saying;
  std::optional<std::size_t> numbered;
  std::int64_t count = 0;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    std::string_view rest;
    bool is_checked = false;
    if (take_box(text.substr(from, end - from), rest, is_checked)) {
      ++count;
      if (is_said_in(rest, item)) {
        constexpr std::size_t kMark = 3;
        if (count == number) numbered = from + kMark;
        saying.push_back(from + kMark);
      }
    }
    from = end + 1;
  }
  if (!numbered && saying.size() == 1) numbered = saying.front();
  if (!numbered)
    return fail(Code::refused,
                saying.empty()
                    ? fmt::format("no item says {}", quoted(item, 100))
                    : fmt::format("{} items say {}, and item {} does not", saying.size(), quoted(item, 100), number),
                "Somebody has changed the list: put the item back, or tick it by hand");
  std::string ticked(text);
  if (ticked[*numbered] == ' ') ticked[*numbered] = 'x';
  return ticked;
}

std::vector<ChecklistItem> next_items(std::string_view text, std::string_view mark,
                                      const std::vector<std::int64_t>& left_out) {
  std::vector<ChecklistItem> together;
  for (auto& item : read_checklist(text, mark)) {
    if (item.is_checked || std::find(left_out.begin(), left_out.end(), item.number) != left_out.end()) {
      if (!together.empty()) break;
      continue;
    }
    if (!together.empty() && !(item.is_marked && together.front().is_marked)) break;
    together.push_back(std::move(item));
  }
  return together;
}

}  // namespace teamster::engine
