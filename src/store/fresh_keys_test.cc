#include "store/fresh_keys.h"

#include <gtest/gtest.h>

namespace teamster::store {
namespace {

TEST(FreshKeys, KnowsWhatIsAboveAllOthers) {
  FreshKeys keys;
  keys.reset("0100");
  EXPECT_FALSE(keys.is_certainly_new("0100"));
  EXPECT_FALSE(keys.is_certainly_new("00ff"));
  EXPECT_TRUE(keys.is_certainly_new("0101"));
  keys.add("0103");
  EXPECT_FALSE(keys.is_certainly_new("0103"));
  EXPECT_TRUE(keys.is_certainly_new("0102")) << "clients do not ask in the order of their clocks";
}

TEST(FreshKeys, IsNeverCertainOfKeysThatHaveNoTime) {
  FreshKeys keys;
  keys.reset("");
  for (const char* key : {"1", "deploy-7", "zzz"}) {
    EXPECT_FALSE(keys.is_certainly_new(key));
    keys.add(key);
  }
  EXPECT_TRUE(keys.is_certainly_new("01")) << "they do not raise the horizon";
}

TEST(FreshKeys, StaysSmallAndStaysRight) {
  FreshKeys keys;
  keys.reset("");
  for (int i = 0; i < 20'000; ++i) {
    const std::string key = "0" + std::to_string(100'000 + i);
    ASSERT_TRUE(keys.is_certainly_new(key));
    keys.add(key);
    ASSERT_FALSE(keys.is_certainly_new(key));
  }
  for (int i = 0; i < 20'000; ++i) ASSERT_FALSE(keys.is_certainly_new("0" + std::to_string(100'000 + i)));
}

}  // namespace
}  // namespace teamster::store
