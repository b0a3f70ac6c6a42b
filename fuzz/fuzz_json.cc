// Fuzz target: JSON from outside. What is accepted can be written and read back as the
// same value; what is refused is refused with a text; nothing crashes or overflows.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto parsed = teamster::parse_json(text);
  if (!parsed) {
    REQUIRE(!parsed.error().what.empty());
    return 0;
  }
  const std::string written = teamster::dump_json(*parsed);
  REQUIRE(written.find('\n') == std::string::npos);
  // Escapes may make the written form longer than the input, so only the depth is limited.
  const auto again = teamster::parse_json(written, {.max_bytes = written.size()});
  REQUIRE(again.has_value());
  REQUIRE(teamster::dump_json(*again) == written);
  (void)teamster::dump_json_pretty(*parsed);
  return 0;
}
