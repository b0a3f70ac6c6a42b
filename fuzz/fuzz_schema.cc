// Fuzz target: JSON Schemas. The input is two JSON texts with a NUL between them, a schema and a
// value. Whatever they are: compiling and checking end, say the same when asked again, and
// problems are few, printable lines that name a place.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/limits.h"
#include "base/text.h"
#include "require.h"
#include "schema/schema.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(bytes), size);
  const std::size_t border = input.find('\0');
  if (border == std::string_view::npos) return 0;
  const auto document = teamster::parse_json(input.substr(0, border));
  const auto value = teamster::parse_json(input.substr(border + 1));
  if (!document || !value) return 0;
  const auto schema = teamster::schema::Schema::compile(*document);
  if (!schema) {
    REQUIRE(!schema.error().what.empty() && !teamster::find_invalid_utf8(schema.error().what));
    return 0;
  }
  const auto problems = schema->check(*value);
  REQUIRE(problems == schema->check(*value));
  REQUIRE(problems.size() <= teamster::limits::kSchemaProblemsMax);
  for (const auto& problem : problems) REQUIRE(!problem.empty() && !teamster::find_invalid_utf8(problem));
  return 0;
}
