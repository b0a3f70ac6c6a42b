#include "project/series.h"

#include <gtest/gtest.h>

#include "project/project_for_test.h"
#include "project/workflow_for_test.h"

namespace teamster::engine {
namespace {

using Names = std::vector<std::string>;

class SeriesTest : public ProjectTest {
 protected:
  void spec(const std::string& name, const std::string& dependencies) {
    write("specs/" + name + ".md",
          "# Spec\n\n## Dependencies\n\n" + dependencies + "\n\n## Criteria\n\n- 99 bottles\n");
  }
  void ledger(const std::string& spec, LedgerStatus status) {
    LedgerState state;
    state.status = status;
    ASSERT_TRUE(save_ledger(view_.files, {path(), "progress/spec-" + spec, "manifest.json"}, state));
  }
  Result<std::vector<SeriesItem>> items() {
    auto order = series_in_order(project_, workflow_);
    if (!order) return fail(order.error());
    return order->items;
  }
  Names order() {
    const auto found = items();
    EXPECT_TRUE(found) << found.error().text();
    Names names;
    if (found)
      for (const auto& item : *found) names.push_back(item.argument);
    return names;
  }
  std::string complaint() {
    const auto found = items();
    return found ? "" : found.error().text();
  }

  Project project_{view_.files, path()};
  workflow::Workflow workflow_ = workflow_for_test();
};

TEST_F(SeriesTest, NothingThereIsAnEmptySeries) { EXPECT_EQ(order(), Names{}); }

TEST_F(SeriesTest, DependenciesComeFirst) {
  spec("01-add", "None.");
  spec("02-list", "- 01");
  spec("03-edit", "- 02\n- 05, for its way of replacing the file");
  spec("04-undo", "- 03\n- 05");
  spec("05-remove", "- 02");
  write("specs/PREAMBLE.md", "## Dependencies\n- 77\n");
  EXPECT_EQ(order(), (Names{"01", "02", "05", "03", "04"}));
  EXPECT_EQ((*items())[3].dependencies, (Names{"02", "05"}));
  EXPECT_EQ((*items())[3].path, "specs/03-edit.md");
}

TEST_F(SeriesTest, PeopleNameItemsInManyWays) {
  for (const char* name : {"01-a", "02-b", "03-c", "04-d"}) spec(name, "");
  const auto needs = [&](const std::string& text) {
    spec("09-z", text);
    const auto found = items();
    EXPECT_TRUE(found) << text;
    if (!found) return Names{"an error"};
    for (const auto& item : *found)
      if (item.argument == "09") return item.dependencies;
    return Names{"none such"};
  };
  EXPECT_EQ(needs("- Spec 02: the list"), Names{"02"});
  EXPECT_EQ(needs("Needs spec-02."), Names{"02"});
  EXPECT_EQ(needs("* [the list](02-b.md)"), Names{"02"});
  EXPECT_EQ(needs("- `specs/02-b.md`"), Names{"02"});
  EXPECT_EQ(needs("- 02-b"), Names{"02"});
  EXPECT_EQ(needs("01, 03"), (Names{"01", "03"}));
  EXPECT_EQ(needs("- 01–03"), (Names{"01", "02", "03"}));
  EXPECT_EQ(needs("- 02-04"), (Names{"02", "03", "04"}));
  EXPECT_EQ(needs("- a shell, version 5.1 of bash; 2026; 02\n- 02"), Names{"02"});
  EXPECT_EQ(needs("None"), Names{});
  write("specs/09-z.md", "# No such heading\n- 01\n");
  EXPECT_EQ(items()->back().dependencies, Names{});
}

TEST_F(SeriesTest, AnUnknownDependencyIsNamed) {
  spec("01-add", "- 07");
  EXPECT_EQ(complaint(),
            "specs/01-add.md names 07 under Dependencies, and there is no such file. Write it, or take it out there");
}

TEST_F(SeriesTest, ACircleIsDrawn) {
  spec("01-a", "- 02");
  spec("02-b", "- 03");
  spec("03-c", "- 04");
  spec("04-d", "- 02");
  EXPECT_NE(complaint().find("02 → 03 → 04 → 02"), std::string::npos) << complaint();
  spec("01-a", "- 01");
  EXPECT_NE(complaint().find("specs/01-a.md names itself"), std::string::npos) << complaint();
}

TEST_F(SeriesTest, TwoFilesOfOneNumberAreNamed) {
  spec("01-a", "");
  spec("01-b", "");
  EXPECT_NE(complaint().find("specs/01-a.md and specs/01-b.md are both spec 01"), std::string::npos) << complaint();
}

TEST_F(SeriesTest, TellsHowFarEachIs) {
  for (const char* name : {"01-a", "02-b", "03-c"}) spec(name, "");
  ledger("01", LedgerStatus::done);
  ledger("02", LedgerStatus::blocked);
  const auto found = items();
  ASSERT_TRUE(found);
  EXPECT_EQ((*found)[0].status, LedgerStatus::done);
  EXPECT_EQ((*found)[1].status, LedgerStatus::blocked);
  EXPECT_EQ((*found)[2].status, std::nullopt);
  write("progress/spec-03/manifest.json", "{");
  EXPECT_NE(complaint().find("progress/spec-03/manifest.json:1"), std::string::npos) << complaint();
}

TEST_F(SeriesTest, AFileWithoutTheRequiredHeadingIsAReference) {
  workflow_.series->required = "Criteria";
  write("specs/00-overview.md", "# Overview\n\n## Dependencies\n\n- 01\n- 02\n\nOf criteria it has none.\n");
  spec("01-a", "- 00");
  write("specs/02-b.md", "# Spec\n\n## Dependencies\n\n- 00, 01\n\n#### 3. CRITERIA:\n");
  const auto series = series_in_order(project_, workflow_);
  ASSERT_TRUE(series) << series.error().text();
  EXPECT_EQ(series->references, Names{"specs/00-overview.md"});
  EXPECT_EQ(order(), (Names{"01", "02"})) << "what a reference names under Dependencies is none";
  EXPECT_EQ(series->items[1].dependencies, Names{"01"});
  std::filesystem::remove(path("specs/00-overview.md"));
  EXPECT_NE(complaint().find("names 00 under Dependencies, and there is no such file"), std::string::npos);
}

TEST_F(SeriesTest, AWorkflowWithoutOneSaysSo) {
  workflow_.series.reset();
  EXPECT_NE(complaint().find("has no series"), std::string::npos);
}

// Any word can be an argument there; only those that exist are meant.
TEST_F(SeriesTest, WithoutAPatternOnlyItemsThatExistAreNames) {
  workflow_.args[0].pattern.clear();
  workflow_.series = workflow::Series{"topics/*.md", R"(topics/(.*)\.md)", "spec", "Dependencies"};
  workflow_.ledger.reset();
  write("topics/zebra.md", "");
  write("topics/apple.md", "## Dependencies\n- the zebra, before all else\n");
  EXPECT_EQ(order(), (Names{"zebra", "apple"}));
}

}  // namespace
}  // namespace teamster::engine
