// Fuzz target: SKILL.md. Whatever the text is: reading it ends, says the same when asked again, and gives a skill with
// a good name or problems that are printable and have a place; and every description can be routed to.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/text.h"
#include "require.h"
#include "skills/routing.h"
#include "skills/skill_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace teamster::skills;
  const std::string_view input(reinterpret_cast<const char*>(bytes), size);
  teamster::workflow::Problems problems;
  teamster::workflow::Problems again;
  const auto skill = parse_skill("s/SKILL.md", "s", input, problems);
  REQUIRE(skill.has_value() == parse_skill("s/SKILL.md", "s", input, again).has_value());
  REQUIRE(problems.sorted() == again.sorted());
  REQUIRE(skill || !problems.empty());
  for (const auto& problem : problems.sorted()) {
    REQUIRE(problem.line > 0 && problem.column > 0 && !problem.what.empty());
    REQUIRE(!teamster::find_invalid_utf8(problem.what));
  }
  if (!skill) return 0;
  REQUIRE(skill->head.name == "s" && !skill->head.description.empty());
  for (const auto& routed : Router({skill->head}).rank(skill->body)) REQUIRE(routed.name == "s" && routed.score > 0);
  return 0;
}
