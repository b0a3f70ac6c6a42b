// Fuzz target: manifests. Whatever the text is: reading it ends, says the same when asked again, and what it finds
// holds together: ids are of the one form and once, each criterion can be verified, each error has a line of the text.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>

#include "base/text.h"
#include "require.h"
#include "verify/manifest.h"
#include "verify/verify_limits.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace teamster::verify;
  const std::string_view input(reinterpret_cast<const char*>(bytes), size);
  const auto parsed = parse_manifest(input);
  REQUIRE(parsed.errors == parse_manifest(input).errors);
  REQUIRE(parsed.errors.size() <= kManifestErrorsMax);
  const auto lines = static_cast<std::size_t>(std::count(input.begin(), input.end(), '\n')) + 1;
  for (const auto& error : parsed.errors) {
    REQUIRE(error.line >= 1 && error.line <= lines + 1 && !error.what.empty());
    REQUIRE(!teamster::find_invalid_utf8(error.what));
  }
  REQUIRE(!parsed.is_valid() || !parsed.manifest.criteria.empty());
  std::set<std::string> ids;
  for (const auto& criterion : parsed.manifest.criteria) {
    REQUIRE(is_criterion_id(criterion.id) && ids.insert(criterion.id).second);
    REQUIRE(criterion.line >= 1 && criterion.line <= lines && !criterion.text.empty());
    REQUIRE(criterion.method != Method::bash || !criterion.command.empty());
    REQUIRE(criterion.method != Method::subagent || (!criterion.agent.empty() && !criterion.prompt.empty()));
    REQUIRE(criterion.method != Method::covered || !criterion.covered_by.empty());
  }
  if (parsed.is_valid())
    for (const auto& criterion : parsed.manifest.criteria)
      for (const auto& id : criterion.covered_by) REQUIRE(ids.contains(id));
  return 0;
}
