#include "verify/output_keeper.h"

#include <gtest/gtest.h>

namespace teamster::verify {
namespace {

using From = OutputKeeper::From;

OutputKeeper keeper() { return OutputKeeper({.head_bytes = 10, .tail_bytes = 10}); }

TEST(OutputKeeperTest, KeepsAllOfALittle) {
  auto output = keeper();
  output.add(From::output, "0123456789");
  output.add(From::errors, "abcdefghij");
  output.finish();
  EXPECT_EQ(output.text(), "0123456789abcdefghij");
  EXPECT_FALSE(output.is_cut());
}

TEST(OutputKeeperTest, KeepsBeginningAndEndOfMuch) {
  auto output = keeper();
  for (int i = 0; i < 1000; ++i) output.add(From::output, "0123456");
  output.add(From::output, "the end is here");
  EXPECT_EQ(output.text(), "0123456012\n… 6995 bytes left out …\nnd is here");
  EXPECT_TRUE(output.is_cut());
  EXPECT_EQ(output.bytes(), 7015U);
}

TEST(OutputKeeperTest, OnePieceMayBeLargerThanAllThatIsKept) {
  auto output = keeper();
  output.add(From::output, std::string(5'000'000, 'a') + "the end");
  EXPECT_TRUE(output.text().ends_with("aaathe end"));
}

TEST(OutputKeeperTest, FindsALineThatBeginsWithFailWhereverItIs) {
  const auto found = [](std::vector<std::pair<From, std::string>> pieces) {
    auto output = keeper();
    for (const auto& [from, bytes] : pieces) output.add(from, bytes);
    output.finish();
    return output.fail_line();
  };
  EXPECT_EQ(found({{From::output, "FAIL"}}), "FAIL");
  EXPECT_EQ(found({{From::output, "ok\nFAILED: 3\nmore\n"}}), "FAILED: 3");
  EXPECT_EQ(found({{From::errors, "FA"}, {From::output, "x"}, {From::errors, "IL: a\n"}}), "FAIL: a");
  EXPECT_EQ(found({{From::output, std::string(100'000, 'x') + "\nFA"}, {From::output, "IL\n"}}), "FAIL");
  EXPECT_EQ(found({{From::output, "FAIL one\nFAIL two\n"}}), "FAIL one");
  for (const char* fine : {" FAIL\n", "fail\n", "no FAIL\n", "FAI\nL\n", "Failed\n", ""})
    EXPECT_EQ(found({{From::output, fine}}), std::nullopt) << fine;
  EXPECT_EQ(found({{From::output, "FA"}, {From::errors, "IL\n"}}), std::nullopt) << "two streams";
  EXPECT_EQ(found({{From::output, "FAIL" + std::string(100'000, 'x')}})->size(), 400U);
}

}  // namespace
}  // namespace teamster::verify
