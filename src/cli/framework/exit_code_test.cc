#include "cli/framework/exit_code.h"

#include <gtest/gtest.h>

namespace teamster::cli {
namespace {

TEST(ExitCodeTest, EveryCodeHasItsNumber) {
  EXPECT_EQ(exit_code(Code::invalid), 2);
  EXPECT_EQ(exit_code(Code::not_found), 1);
  EXPECT_EQ(exit_code(Code::failed), 1);
  EXPECT_EQ(exit_code(Code::refused), 3);
  EXPECT_EQ(exit_code(Code::waiting), 4);
  EXPECT_EQ(exit_code(Code::unavailable), 1);
  EXPECT_EQ(exit_code(Code::unknown_outcome), 1);
  EXPECT_EQ(exit_code(Code::internal), 70);
}

}  // namespace
}  // namespace teamster::cli
