#include "workflow/format/usage.h"

#include <gtest/gtest.h>

namespace teamster::workflow {
namespace {

TEST(Usage, ShowsNamesChoicesAndWhatMayBeLeftOut) {
  Workflow workflow;
  workflow.name = "collab";
  EXPECT_EQ(usage_line(workflow), "teamster run collab");
  workflow.args.resize(3);
  workflow.args[0].name = "topic";
  workflow.args[1].name = "action";
  workflow.args[1].choices = {"plan", "research"};
  workflow.args[2].name = "depth";
  workflow.args[2].fallback = "2";
  EXPECT_EQ(usage_line(workflow), "teamster run collab TOPIC plan|research [DEPTH]");
}

}  // namespace
}  // namespace teamster::workflow
