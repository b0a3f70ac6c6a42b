#include "base/character_set.h"

#include <algorithm>

namespace teamster {
namespace {

constexpr char32_t kLast = 0x10FFFF;

}  // namespace

CharacterSet CharacterSet::digits() {
  CharacterSet set;
  set.add('0', '9');
  return set;
}

CharacterSet CharacterSet::word_characters() {
  CharacterSet set = digits();
  set.add('a', 'z');
  set.add('A', 'Z');
  set.add('_', '_');
  return set;
}

CharacterSet CharacterSet::line_ends() {
  CharacterSet set;
  set.add('\n', '\n');
  set.add('\r', '\r');
  set.add(0x2028, 0x2029);
  return set;
}

CharacterSet CharacterSet::spaces() {
  CharacterSet set = line_ends();
  set.add('\t', '\r');
  set.add(0x2000, 0x200A);
  for (const char32_t space : {0x20, 0xA0, 0x1680, 0x202F, 0x205F, 0x3000, 0xFEFF}) set.add(space, space);
  return set;
}

void CharacterSet::add(char32_t first, char32_t last) {
  // Those that overlap or touch it become one with it.
  const auto begin = std::find_if(ranges_.begin(), ranges_.end(),
                                  [&](const Range& each) { return each.second >= first || each.second + 1 == first; });
  auto end = begin;
  for (; end != ranges_.end() && end->first <= last + 1; ++end) {
    first = std::min(first, end->first);
    last = std::max(last, end->second);
  }
  ranges_.insert(ranges_.erase(begin, end), {first, last});
}

void CharacterSet::add(const CharacterSet& other) {
  for (const auto& [first, last] : other.ranges_) add(first, last);
}

CharacterSet CharacterSet::complement() const {
  CharacterSet set;
  char32_t next = 0;
  for (const auto& [first, last] : ranges_) {
    if (next < first) set.ranges_.emplace_back(next, first - 1);
    next = last + 1;
  }
  if (next <= kLast) set.ranges_.emplace_back(next, kLast);
  return set;
}

bool CharacterSet::contains(char32_t character) const {
  const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), character,
                                      [](char32_t c, const Range& range) { return c < range.first; });
  return after != ranges_.begin() && std::prev(after)->second >= character;
}

}  // namespace teamster
