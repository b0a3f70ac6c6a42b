// Markdown as a manifest needs it: headings, list items, fenced blocks and the lines between them, each with its place.
// Fences may be indented and of either kind; comments are blank. Borrows the text. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace teamster::verify {

struct Piece {
  enum class Kind { blank, heading, item, fence, text };
  Kind kind = Kind::blank;
  std::size_t line = 0;    // counted from 1
  std::size_t indent = 0;  // columns before it; a tab goes to the next multiple of 4
  std::size_t level = 0;   // of a heading
  // Of a heading its words, of an item what stands behind the marker, of a fence its info string, else the line without
  // the space around it.
  std::string_view text = {};
  std::string content = {};  // of a fence, without its indentation
  bool is_closed = true;     // of a fence or, as text, of a comment
};

// Says of a line that stands no deeper than the fence it is in that it cannot belong to that: somebody forgot to close
// it.
using EndsFence = std::function<bool(std::string_view info, std::string_view line)>;

std::vector<Piece> read_markdown(std::string_view text, const EndsFence& ends_fence);

}  // namespace teamster::verify
