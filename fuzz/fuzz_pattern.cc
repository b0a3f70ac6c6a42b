// Fuzz target: regular expressions. The input is an expression and a text with a NUL between
// them. Whatever they are: compiling and matching end, and the three questions agree.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/pattern.h"
#include "base/text.h"
#include "require.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(bytes), size);
  const std::size_t border = input.find('\0');
  if (border == std::string_view::npos) return 0;
  const std::string expression(input.substr(0, border));
  const std::string_view text = input.substr(border + 1);
  const auto pattern = teamster::Pattern::compile(expression);
  if (!pattern) {
    REQUIRE(!pattern.error().what.empty() && !teamster::find_invalid_utf8(pattern.error().what));
    return 0;
  }
  if (pattern->matches_whole(text)) REQUIRE(pattern->search(text));
  if (const auto group = pattern->first_group(text)) {
    REQUIRE(pattern->search(text));
    REQUIRE(teamster::find_invalid_utf8(text) || text.find(*group) != std::string_view::npos);
  }
  // The whole text matches exactly when it is found between both ends.
  if (const auto anchored = teamster::Pattern::compile("^(?:" + expression + ")$"))
    REQUIRE(anchored->search(text) == pattern->matches_whole(text));
  return 0;
}
