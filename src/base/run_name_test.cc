#include "base/run_name.h"

#include <gtest/gtest.h>

namespace teamster {
namespace {

TEST(RunName, IsAWorkflowADateAndFourHexDigits) {
  EXPECT_EQ(RunName::parse("implement-spec-20261116-1a2b")->workflow(), "implement-spec");
  EXPECT_EQ(RunName::parse("x-20261116-0000")->text(), "x-20261116-0000");
  const std::string longest(64, 'w');
  EXPECT_EQ(RunName::parse(longest + "-20261116-ffff")->workflow(), longest);
  EXPECT_EQ(RunName::parse("a-20261116-1a2b-20261117-1a2b")->workflow(), "a-20261116-1a2b");
}

TEST(RunName, RefusesEverythingElse) {
  const std::string longest(64, 'w');
  for (const std::string& text :
       {std::string(), std::string("-20261116-1a2b"), std::string("x"), std::string("x-2026111-1a2b"),
        std::string("x-20261116-1A2B"), std::string("x-20261116-1a2"), std::string("x-20261116-1a2g"),
        std::string("x-20261116_1a2b"), std::string("X-20261116-1a2b"), std::string("--20261116-1a2b"),
        std::string("../x-20261116-1a2b"), std::string("x-20261116-1a2b\n"), std::string("x-20261116-1a2b", 16),
        longest + "w-20261116-1a2b", std::string(10'000, 'x')}) {
    const auto parsed = RunName::parse(text);
    ASSERT_FALSE(parsed) << text.substr(0, 80);
    EXPECT_EQ(parsed.error().code, Code::invalid);
    EXPECT_LT(parsed.error().what.size(), 200U);
  }
}

}  // namespace
}  // namespace teamster
