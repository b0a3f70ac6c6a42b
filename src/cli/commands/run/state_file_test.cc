#include "cli/commands/run/state_file.h"

#include <gtest/gtest.h>

namespace teamster::cli {
namespace {

using Words = std::vector<std::string>;

workflow::Workflow with_ledger(const std::string& directory) {
  workflow::Workflow workflow;
  workflow.args = {{"spec", "", "", {}, std::nullopt}, {"kind", "", "", {}, "fast"}};
  workflow.ledger = workflow::Ledger{directory, "manifest.json", "{{sequence:03}}.json", {}};
  return workflow;
}

TEST(StateFileTest, AManifestSaysWithWhichArguments) {
  const auto workflow = with_ledger("progress/spec-{{args/spec}}");
  EXPECT_EQ(words_for_index(workflow, "progress/spec-08/manifest.json"), (Words{"08", "fast"}));
  EXPECT_EQ(words_for_index(workflow, "progress/spec-a-b/manifest.json"), (Words{"a-b", "fast"}));
}

TEST(StateFileTest, SeveralArguments) {
  const auto workflow = with_ledger("{{args/kind}}/of/{{args/spec}}-{{args/kind}}");
  EXPECT_EQ(words_for_index(workflow, "slow/of/08-slow/manifest.json"), (Words{"08", "slow"}));
  EXPECT_FALSE(words_for_index(workflow, "slow/of/08-fast/manifest.json")) << "it is one word";
}

TEST(StateFileTest, AnythingElseIsNone) {
  const auto workflow = with_ledger("progress/spec-{{args/spec}}");
  for (const char* path : {"", "manifest.json", "progress/spec-/manifest.json", "progress/spec-08/manifest.json.bak",
                           "progress/spec-08/x/manifest.json", "../progress/spec-08/manifest.json",
                           "x/progress/spec-08/manifest.json", "progress/spec-08"})
    EXPECT_FALSE(words_for_index(workflow, path)) << path;
  EXPECT_FALSE(words_for_index(with_ledger("progress/{{args/kind}}"), "progress/fast/manifest.json")) << "which spec?";
  EXPECT_FALSE(words_for_index(with_ledger("progress/{{values/name}}"), "progress/08/manifest.json"));
  EXPECT_FALSE(words_for_index(with_ledger("progress/{{args/spec"), "progress/08/manifest.json"));
  EXPECT_FALSE(words_for_index(workflow::Workflow(), "manifest.json")) << "it has no ledger";
}

}  // namespace
}  // namespace teamster::cli
