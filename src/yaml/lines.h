// Lines: where the lines of a text begin, to turn positions in bytes into places that an editor
// shows. Borrows the text. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "yaml/problem.h"

namespace teamster::workflow {

class Lines {
 public:
  explicit Lines(std::string_view text);

  // From a line and a byte in it, both counted from 0.
  Place place(std::size_t line, std::size_t byte_in_line) const;
  Place place_of_byte(std::size_t at) const;
  // 0 behind the end.
  char byte(std::size_t at) const { return at < text_.size() ? text_[at] : '\0'; }

 private:
  std::string_view text_;
  std::vector<std::size_t> starts_;
};

// The first byte that no text file should have: broken UTF-8, control characters, a lone carriage
// return.
struct Unreadable {
  std::size_t at = 0;
  std::string what;
};
std::optional<Unreadable> find_unreadable(std::string_view text);

}  // namespace teamster::workflow
