#include "protocol/client/frame.h"

#include <cstdint>

#include <fmt/format.h>

#include "base/check.h"
#include "base/limits.h"

namespace teamster::hub {
namespace {

constexpr std::size_t kHeaderBytes = 4;

std::uint32_t read_length(std::string_view header) {
  std::uint32_t length = 0;
  for (std::size_t i = 0; i < kHeaderBytes; ++i)
    length |= std::uint32_t{static_cast<unsigned char>(header[i])} << (8 * i);
  return length;
}

}  // namespace

void FrameDecoder::add(std::string_view bytes) {
  if (at_ == buffer_.size()) {
    buffer_.clear();
    at_ = 0;
  } else if (at_ > 64 * 1024 && at_ > buffer_.size() / 2) {
    buffer_.erase(0, at_);
    at_ = 0;
  }
  buffer_.append(bytes);
}

Result<std::optional<std::string>> FrameDecoder::next() {
  const std::string_view rest = std::string_view(buffer_).substr(at_);
  if (rest.size() < kHeaderBytes) return std::optional<std::string>();
  const std::uint32_t length = read_length(rest);
  if (length == 0 || length > limits::kFrameMaxBytes)
    return fail(Code::invalid, fmt::format("a frame of {} bytes is outside 1 to {}", length, limits::kFrameMaxBytes));
  if (rest.size() < kHeaderBytes + length) return std::optional<std::string>();
  at_ += kHeaderBytes + length;
  std::string payload(rest.substr(kHeaderBytes, length));
  if (at_ == buffer_.size() && buffer_.capacity() > 1024 * 1024) {
    // A rare large frame must not keep its memory for the life of the connection.
    buffer_ = std::string();
    at_ = 0;
  }
  return std::optional<std::string>(std::move(payload));
}

void append_frame(std::string& out, std::initializer_list<std::string_view> parts) {
  std::size_t size = 0;
  for (const auto part : parts) size += part.size();
  CHECK(size != 0 && size <= limits::kFrameMaxBytes);
  const auto length = static_cast<std::uint32_t>(size);
  for (std::size_t i = 0; i < kHeaderBytes; ++i) out += static_cast<char>((length >> (8 * i)) & 0xFFU);
  for (const auto part : parts) out.append(part);
}

}  // namespace teamster::hub
