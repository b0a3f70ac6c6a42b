// Fuzz target: workflow.yaml. Whatever the text is: reading and checking it ends, says the same when
// asked again, and either gives a workflow that can be drawn or problems that are printable and
// have a place.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "base/text.h"
#include "require.h"
#include "workflow/format/graph.h"
#include "workflow/format/load.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace teamster::workflow;
  const std::string_view input(reinterpret_cast<const char*>(bytes), size);
  const Bundle bundle{
      {kWorkflowFile, std::string(input)},
      {"t.md", "Do {{A}} and {{{{this}}.\n"},
      {"s.json", R"({"type":"object","properties":{"ok":{"type":"boolean"},"list":{"type":"array"}}})"}};
  const auto loaded = load_workflow(bundle);
  REQUIRE(loaded.problems == load_workflow(bundle).problems);
  REQUIRE(loaded.workflow.has_value() == loaded.problems.empty());
  REQUIRE(loaded.problems.size() <= teamster::limits::kWorkflowProblemsMax);
  for (const auto& problem : loaded.problems) {
    REQUIRE(problem.line > 0 && problem.column > 0 && !problem.what.empty());
    REQUIRE(!teamster::find_invalid_utf8(problem.what));
  }
  if (loaded.workflow) REQUIRE(!mermaid_graph(*loaded.workflow).empty() && !dot_graph(*loaded.workflow).empty());
  return 0;
}
