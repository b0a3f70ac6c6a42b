#include "verify/output_keeper.h"

#include <algorithm>

#include <fmt/format.h>

#include "verify/verify_limits.h"

namespace teamster::verify {
namespace {

constexpr std::string_view kFail = "FAIL";

}  // namespace

void OutputKeeper::add(From from, std::string_view bytes) {
  look_for_failure(from, bytes);
  bytes_ += bytes.size();
  const std::size_t room = bounds_.head_bytes - head_.size();
  head_.append(bytes.substr(0, room));
  bytes.remove_prefix(std::min(room, bytes.size()));
  if (bytes.size() > bounds_.tail_bytes) bytes.remove_prefix(bytes.size() - bounds_.tail_bytes);
  tail_.append(bytes);
  // Cut now and then and not at each piece, which would copy all of it each time.
  if (tail_.size() > 2 * bounds_.tail_bytes) tail_.erase(0, tail_.size() - bounds_.tail_bytes);
}

void OutputKeeper::look_for_failure(From from, std::string_view bytes) {
  std::string& line = line_[from == From::output ? 0 : 1];
  while (!fail_line_ && !bytes.empty()) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    const std::size_t room = kFailLineKeptBytes - std::min(kFailLineKeptBytes, line.size());
    line.append(bytes.substr(0, std::min(end, room)));
    const bool is_whole = end < bytes.size();
    if (line.starts_with(kFail) && (is_whole || line.size() >= kFailLineKeptBytes)) fail_line_ = line;
    if (is_whole) line.clear();
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
}

void OutputKeeper::finish() {
  for (const auto& line : line_)
    if (!fail_line_ && line.starts_with(kFail)) fail_line_ = line;
}

std::string OutputKeeper::text() const {
  const std::size_t kept = std::min(tail_.size(), bounds_.tail_bytes);
  const std::string_view tail = std::string_view(tail_).substr(tail_.size() - kept);
  const std::size_t left_out = bytes_ - head_.size() - kept;
  if (left_out == 0) return head_ + std::string(tail);
  return fmt::format("{}\n… {} bytes left out …\n{}", head_, left_out, tail);
}

}  // namespace teamster::verify
