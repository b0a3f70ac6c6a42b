// LineReader: bytes of a stream in, lines out. A line that is over the limit is told once and
// its rest is dropped as it comes, so a peer that never ends a line costs no memory. A value
// owned by whoever reads the stream.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace teamster {

struct Line {
  std::string_view text;  // without its end; valid until the next call of add
  bool is_too_long = false;
};

class LineReader {
 public:
  explicit LineReader(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  void add(std::string_view bytes);
  // The next line that is complete, or the news that one is too long.
  std::optional<Line> next();

 private:
  const std::size_t max_bytes_;
  std::string kept_;
  std::size_t taken_ = 0;    // of kept_: given out as lines
  std::size_t scanned_ = 0;  // of kept_: known to hold no end of a line
  bool is_skipping_ = false;
};

}  // namespace teamster
