// Fuzz target: templates. The input is a text and, after a NUL, what each of its names is filled
// with. Parsing and rendering end, and a text without placeholders comes out as it went in.
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "require.h"
#include "workflow/format/template.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace teamster::workflow;
  const std::string_view input(reinterpret_cast<const char*>(bytes), size);
  const std::string_view text = input.substr(0, input.find('\0'));
  const std::string_view filling = text.size() < input.size() ? input.substr(text.size() + 1) : "x";
  Problems problems;
  const Template parsed = Template::parse("f", text, problems);
  std::map<std::string, std::string> words;
  for (const auto& placeholder : parsed.placeholders()) words[placeholder.name] = filling;
  const auto rendered = render_prompt(text, words);
  REQUIRE(problems.empty() || !rendered);
  if (rendered) REQUIRE(rendered->size() <= teamster::limits::kRenderedMaxBytes);
  if (text.find("{{") == std::string_view::npos && text.size() <= teamster::limits::kRenderedMaxBytes)
    REQUIRE(rendered && *rendered == text);
  return 0;
}
