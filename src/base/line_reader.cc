#include "base/line_reader.h"

namespace teamster {

void LineReader::add(std::string_view bytes) {
  kept_.erase(0, taken_);
  scanned_ -= taken_;
  taken_ = 0;
  // One long line must not be remembered for ever by an idle process.
  constexpr std::size_t kKeptMaxBytes = 64 * 1024;
  if (kept_.empty() && kept_.capacity() > kKeptMaxBytes) kept_ = {};
  if (is_skipping_) {
    const std::size_t end = bytes.find('\n');
    if (end == std::string_view::npos) return;
    is_skipping_ = false;
    bytes.remove_prefix(end + 1);
  }
  kept_.append(bytes);
}

std::optional<Line> LineReader::next() {
  const std::size_t end = kept_.find('\n', scanned_);
  const std::size_t length = (end == std::string::npos ? kept_.size() : end) - taken_;
  if (length > max_bytes_) {
    is_skipping_ = end == std::string::npos;
    taken_ = scanned_ = is_skipping_ ? kept_.size() : end + 1;
    // Its memory is not needed for what follows.
    if (is_skipping_) {
      kept_ = {};
      taken_ = scanned_ = 0;
    }
    return Line{{}, true};
  }
  if (end == std::string::npos) {
    scanned_ = kept_.size();
    return std::nullopt;
  }
  std::string_view text(kept_.data() + taken_, length);
  if (text.ends_with('\r')) text.remove_suffix(1);
  taken_ = scanned_ = end + 1;
  return Line{text, false};
}

}  // namespace teamster
