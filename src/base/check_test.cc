#include "base/check.h"

#include <gtest/gtest.h>

namespace teamster {
namespace {

TEST(Check, EndsWithExitCode70) {
  CHECK(1 + 1 == 2);
  EXPECT_EXIT(CHECK(1 + 1 == 3), testing::ExitedWithCode(70), "expected 1 \\+ 1 == 3");
}

}  // namespace
}  // namespace teamster
