// Fuzz target: the frame decoder of the hub's socket. The first byte of the input says how
// the rest is cut into pieces; the payloads must not depend on it. What comes out, written
// as frames again, is a prefix of what went in.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "protocol/client/frame.h"
#include "require.h"

namespace {

using teamster::hub::FrameDecoder;

struct Decoded {
  std::vector<std::string> payloads;
  bool failed = false;
};

// Sizes of pieces: 1, 2, 3 … up to `largest`, and again.
Decoded decode(std::string_view bytes, std::size_t largest) {
  FrameDecoder decoder;
  Decoded out;
  for (std::size_t size = 1; !bytes.empty() && !out.failed; size = size % largest + 1) {
    const std::size_t piece = std::min(size, bytes.size());
    decoder.add(bytes.substr(0, piece));
    bytes.remove_prefix(piece);
    for (;;) {
      auto next = decoder.next();
      out.failed = !next.has_value();
      if (!next || !*next) break;
      REQUIRE(!(*next)->empty() && (*next)->size() <= teamster::limits::kFrameMaxBytes);
      out.payloads.push_back(**std::move(next));
    }
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view stream(reinterpret_cast<const char*>(bytes) + 1, size - 1);
  const std::size_t largest = bytes[0] + std::size_t{1};

  const Decoded pieces = decode(stream, largest);
  const Decoded single = decode(stream, 1);
  REQUIRE(pieces.payloads == single.payloads);
  REQUIRE(pieces.failed == single.failed);

  std::string written;
  for (const auto& payload : pieces.payloads) teamster::hub::append_frame(written, payload);
  REQUIRE(stream.substr(0, written.size()) == written);
  return 0;
}
