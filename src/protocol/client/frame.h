// Frames on the hub's socket: a length of 4 bytes, little endian, then that many bytes.
// Sans I/O: bytes in, payloads out. Holds at most one frame plus what was added last.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace teamster::hub {

class FrameDecoder {
 public:
  void add(std::string_view bytes);
  // The next complete payload, if there is one. After an error the stream has lost its
  // frame borders and the connection must end.
  Result<std::optional<std::string>> next();
  // Whether bytes of an unfinished frame are waiting for the rest.
  bool has_partial() const { return at_ < buffer_.size(); }

 private:
  std::string buffer_;
  std::size_t at_ = 0;
};

// Appends one frame to `out`; its payload is the parts one after the other.
void append_frame(std::string& out, std::initializer_list<std::string_view> parts);
inline void append_frame(std::string& out, std::string_view payload) { append_frame(out, {payload}); }

}  // namespace teamster::hub
