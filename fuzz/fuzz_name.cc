// Fuzz target: short texts that people and agents type. Names, durations, and the
// quoting that makes any text safe to print.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "base/name.h"
#include "base/text.h"
#include "base/time.h"
#include "require.h"

namespace {

bool is_name_character(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; }

// The grammar once more, written another way.
bool is_name(std::string_view text) {
  if (text.empty() || text.size() > teamster::limits::kNameMaxBytes || text.front() == '-') return false;
  for (const char c : text) {
    if (!is_name_character(c)) return false;
  }
  return true;
}

bool is_printable_line(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return false;
  }
  return !teamster::find_invalid_utf8(text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);

  const auto name = teamster::Name::parse("member", text);
  REQUIRE(name.has_value() == is_name(text));
  if (name) {
    REQUIRE(name->text() == text);
  } else {
    REQUIRE(is_printable_line(name.error().text()));
  }

  const auto duration = teamster::parse_duration(text);
  if (duration) {
    REQUIRE(*duration >= teamster::Duration::zero());
    REQUIRE(!teamster::describe_duration(*duration).empty());
  } else {
    REQUIRE(is_printable_line(duration.error().text()));
  }

  REQUIRE(is_printable_line(teamster::quoted(text, 80)));
  return 0;
}
