// SendBuffer: bytes waiting to be sent, in order. Taking from its front is cheap: the
// rest is moved only when more than half is used up, so the cost stays linear.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace teamster::env {

class SendBuffer {
 public:
  void append(std::string_view bytes) { bytes_.append(bytes); }

  std::string_view front() const { return std::string_view(bytes_).substr(taken_); }
  std::size_t size() const { return bytes_.size() - taken_; }
  bool empty() const { return size() == 0; }

  void take(std::size_t count) {
    taken_ += count;
    if (taken_ == bytes_.size()) {
      clear();
    } else if (taken_ > bytes_.size() / 2) {
      bytes_.erase(0, taken_);
      taken_ = 0;
    }
  }

  void clear() {
    taken_ = 0;
    bytes_.clear();
    // One burst must not hold its memory for the rest of the connection's life.
    constexpr std::size_t kKeptBytesMax = 64 * 1024;
    if (bytes_.capacity() > kKeptBytesMax) bytes_.shrink_to_fit();
  }

 private:
  std::string bytes_;
  std::size_t taken_ = 0;
};

}  // namespace teamster::env
