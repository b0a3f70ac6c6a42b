// CharacterSet: a set of Unicode characters, as a regular expression names one ([a-z], \d, \S).
// A value, safe to read from many threads.
#pragma once

#include <utility>
#include <vector>

namespace teamster {

class CharacterSet {
 public:
  // As ECMA-262 has them: digits and word characters are those of ASCII, spaces those of Unicode.
  static CharacterSet digits();
  static CharacterSet word_characters();
  static CharacterSet spaces();
  static CharacterSet line_ends();

  void add(char32_t first, char32_t last);
  void add(const CharacterSet& other);
  CharacterSet complement() const;
  bool contains(char32_t character) const;

 private:
  using Range = std::pair<char32_t, char32_t>;  // both ends belong to it
  std::vector<Range> ranges_;                   // sorted, with something between each two
};

}  // namespace teamster
