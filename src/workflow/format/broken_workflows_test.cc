// Every file of tests/broken_workflows: a workflow.yaml that is wrong in one way, with what must be
// said about it in its first lines. The other files of the bundle are those of files/ there.
#include <gtest/gtest.h>

#include "workflow/format/bundled_workflows_for_test.h"
#include "workflow/format/load.h"

namespace teamster::workflow {
namespace {

constexpr std::string_view kExpected = "# expected: ";

std::string expected_of(const std::string& text) {
  std::istringstream lines(text);
  std::string expected;
  for (std::string line; std::getline(lines, line) && line.starts_with(kExpected);)
    expected += line.substr(kExpected.size()) + "\n";
  return expected;
}

class BrokenWorkflow : public testing::TestWithParam<std::pair<const std::string, std::string>> {};

TEST_P(BrokenWorkflow, IsExplained) {
  const auto loaded = load_workflow(broken_bundle(GetParam().second));
  std::string found;
  for (const auto& problem : loaded.problems) found += problem.text() + "\n";
  EXPECT_FALSE(loaded.workflow);
  EXPECT_NE(expected_of(GetParam().second), "");
  EXPECT_EQ(found, expected_of(GetParam().second));
}

INSTANTIATE_TEST_SUITE_P(All, BrokenWorkflow, testing::ValuesIn(broken_workflows()), [](const auto& one) {
  std::string name = one.param.first;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(BrokenWorkflows, AreMany) { EXPECT_GE(broken_workflows().size(), 200U); }

}  // namespace
}  // namespace teamster::workflow
