// Every file of tests/broken_workflows: a workflow.yaml that is wrong in one way, with what must be
// said about it in its first lines. The other files of the bundle are those of files/ there.
#include <gtest/gtest.h>

#include "workflow/format/bundled_workflows_for_test.h"
#include "workflow/format/load.h"

namespace teamster::workflow {
namespace {

constexpr std::string_view kExpected = "# expected: ";

std::filesystem::path directory() { return std::filesystem::path(TEAMSTER_SOURCE_DIR) / "tests/broken_workflows"; }

struct Case {
  std::string name;
  std::string text;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const auto& entry : std::filesystem::directory_iterator(directory()))
    if (entry.path().extension() == ".yaml") all.push_back({entry.path().stem().string(), file_contents(entry.path())});
  std::sort(all.begin(), all.end(), [](const Case& a, const Case& b) { return a.name < b.name; });
  return all;
}

std::string expected_of(const std::string& text) {
  std::istringstream lines(text);
  std::string expected;
  for (std::string line; std::getline(lines, line) && line.starts_with(kExpected);)
    expected += line.substr(kExpected.size()) + "\n";
  return expected;
}

class BrokenWorkflow : public testing::TestWithParam<Case> {};

TEST_P(BrokenWorkflow, IsExplained) {
  Bundle bundle = bundle_in(directory() / "files");
  bundle[kWorkflowFile] = GetParam().text;
  const auto loaded = load_workflow(bundle);
  std::string found;
  for (const auto& problem : loaded.problems) found += problem.text() + "\n";
  EXPECT_FALSE(loaded.workflow);
  EXPECT_NE(expected_of(GetParam().text), "");
  EXPECT_EQ(found, expected_of(GetParam().text));
}

INSTANTIATE_TEST_SUITE_P(All, BrokenWorkflow, testing::ValuesIn(cases()), [](const auto& one) {
  std::string name = one.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(BrokenWorkflows, AreMany) { EXPECT_GE(cases().size(), 60U); }

}  // namespace
}  // namespace teamster::workflow
