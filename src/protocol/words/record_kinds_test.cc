#include "protocol/words/record_kinds.h"

#include <gtest/gtest.h>

namespace teamster {
namespace {

TEST(RecordKinds, TheStartOfARunIsItsEnginesToo) {
  EXPECT_FALSE(is_of_hub_alone(kind::kRunStarted));
  for (const char* each : {kind::kRunLeased, kind::kRunRenewed, kind::kRunReleased, kind::kRunTold})
    EXPECT_TRUE(is_of_hub_alone(each)) << each;
  EXPECT_FALSE(is_of_hub_alone("step.done"));
}

}  // namespace
}  // namespace teamster
