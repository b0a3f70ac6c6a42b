#include "workflow/format/faults.h"

#include <gtest/gtest.h>

#include "workflow/format/bundled_workflows_for_test.h"

namespace teamster::workflow {
namespace {

TEST(Faults, HaveEachOneNameAndARungThatThereIs) {
  std::set<std::string_view> names;
  auto rungs = settable_rungs();
  for (const auto& kind : fault_kinds()) {
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    EXPECT_EQ(find_fault(kind.name), &kind);
    const bool is_rung = std::find(rungs.begin(), rungs.end(), kind.rung) != rungs.end();
    EXPECT_TRUE(is_rung || kind.rung == "wait" || kind.rung == "end") << kind.name << " " << kind.rung;
  }
  EXPECT_EQ(find_fault("crash"), nullptr);
  EXPECT_EQ(settable_faults().size() + 1, names.size()) << "all but those of rehearsals";
}

// What people read about them is said once more, in a table.
TEST(Faults, AreInTheTableOfTheFormatPage) {
  const std::string page = file_contents(source_directory() / "docs/formats/workflow.md");
  for (const auto& kind : fault_kinds()) {
    if (!kind.is_settable) continue;
    const std::string row =
        "| `" + std::string(kind.name) + "` | " + std::string(kind.rung) + " | " + std::string(kind.about) + " |";
    EXPECT_NE(page.find(row), std::string::npos) << row;
  }
}

}  // namespace
}  // namespace teamster::workflow
