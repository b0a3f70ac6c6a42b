#include "base/result.h"

#include <gtest/gtest.h>

namespace teamster {
namespace {

Result<int> half(int number) {
  if (number % 2 != 0) return fail(Code::invalid, "odd", "Use an even number");
  return number / 2;
}

Result<int> quarter(int number) { return TRY(half(TRY(half(number)))); }

TEST(Result, TryReturnsTheFirstError) {
  EXPECT_EQ(*quarter(8), 2);
  ASSERT_FALSE(quarter(6));
  EXPECT_EQ(quarter(6).error().code, Code::invalid);
  EXPECT_EQ(quarter(6).error().text(), "odd. Use an even number");
}

TEST(Result, ErrorsGainContext) {
  const Error error = half(3).error().within("reading the size");
  EXPECT_EQ(error.what, "reading the size: odd");
  EXPECT_EQ(error.next, "Use an even number");
}

TEST(Result, CodesGoToTextAndBack) {
  for (int i = 0; i <= static_cast<int>(Code::internal); ++i) {
    const auto code = static_cast<Code>(i);
    EXPECT_EQ(code_from_string(to_string(code)), code);
  }
  EXPECT_EQ(code_from_string("from a newer hub"), Code::failed);
}

}  // namespace
}  // namespace teamster
