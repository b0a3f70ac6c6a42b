// Dependencies point down: ARCHITECTURE.md, CMakeLists.txt and the includes draw one graph.
#include "tidy/module_graph.h"

#include <gtest/gtest.h>

#include "tidy/source_tree.h"

namespace teamster::tidy {
namespace {

// Only these may use the real world and the simulated one.
const Graph kOnlyUsedBy = {{"env/real", {"cli", "keeper"}}, {"env/sim", {}}};

DrawnGraph architecture() { return drawn_graph(read_file("ARCHITECTURE.md")); }

Graph with_optional(const DrawnGraph& drawn) {
  Graph all = drawn.uses;
  for (const auto& [module, optional] : drawn.may_use) all[module].insert(optional.begin(), optional.end());
  return all;
}

TEST(ModuleGraph, ReadsADrawing) {
  const auto graph = drawn_graph("x\n```text modules\nhub      → team (env) base\nbase →\n```\n");
  EXPECT_EQ(graph.uses, (Graph{{"hub", {"base", "team"}}, {"base", {}}}));
  EXPECT_EQ(graph.may_use, (Graph{{"hub", {"env"}}, {"base", {}}}));
}

TEST(ModuleGraph, HasEveryModuleAndNoOther) {
  const auto drawn = architecture();
  for (const auto& [module, uses] : included_graph(false))
    EXPECT_TRUE(drawn.uses.contains(module)) << "src/" << module << " is missing in the graph of ARCHITECTURE.md";
  for (const auto& [module, uses] : drawn.uses)
    EXPECT_FALSE(cpp_files("src/" + module).empty()) << "ARCHITECTURE.md draws " << module << ", which has no source";
}

TEST(ModuleGraph, DeclaresWhatIsIncludedAndNothingElse) {
  const auto drawn = architecture();
  const auto allowed = with_optional(drawn);
  const auto included = included_graph(false);
  for (const auto& [module, uses] : included) {
    for (const auto& used : uses)
      EXPECT_TRUE(allowed.contains(module) && allowed.at(module).contains(used))
          << "src/" << module << " includes " << used << ", which the graph of ARCHITECTURE.md does not allow";
  }
  for (const auto& [module, uses] : drawn.uses) {
    for (const auto& used : uses)
      EXPECT_TRUE(included.contains(module) && included.at(module).contains(used))
          << "ARCHITECTURE.md says " << module << " → " << used
          << ", but no file there includes it; remove it, or write (" << used << ")";
  }
}

TEST(ModuleGraph, HasNoCycle) {
  for (const auto& [module, reached] : closure(with_optional(architecture())))
    EXPECT_FALSE(reached.contains(module)) << module << " depends on itself";
}

TEST(ModuleGraph, IsWhatTheBuildLinks) {
  const auto linked = closure(linked_graph(read_file("CMakeLists.txt")));
  const auto drawn = closure(with_optional(architecture()));
  EXPECT_EQ(linked, drawn) << "CMakeLists.txt and ARCHITECTURE.md disagree on what a module can reach";
}

TEST(ModuleGraph, KeepsTheRealAndTheSimulatedWorldApart) {
  for (const auto& [module, uses] : included_graph(false)) {
    for (const auto& [world, users] : kOnlyUsedBy)
      EXPECT_TRUE(!uses.contains(world) || users.contains(module)) << "src/" << module << " includes " << world;
  }
}

// Tests may use both worlds and tests/support beside what their module reaches, but nothing above their module.
TEST(ModuleGraph, HoldsForTestsBesideTheCode) {
  const auto reachable = closure(with_optional(architecture()));
  for (const auto& [module, uses] : included_graph(true)) {
    for (const auto& used : uses) {
      const bool is_world = kOnlyUsedBy.contains(used) || used == "support";
      EXPECT_TRUE(is_world || (reachable.contains(module) && reachable.at(module).contains(used)))
          << "a test in src/" << module << " includes " << used << ", which lies above it";
    }
  }
}

}  // namespace
}  // namespace teamster::tidy
