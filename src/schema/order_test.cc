#include "schema/order.h"

#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace teamster::schema {
namespace {

int sign_of(const Json& a, const Json& b) {
  std::size_t steps = 0;
  const int order = compare(a, b, steps);
  EXPECT_GT(steps, 0U);
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

TEST(Order, IsOneForAllValues) {
  // From the least to the greatest; equal ones together.
  const std::vector<std::vector<const char*>> ascending = {{"[]"},
                                                           {"[1]", "[1.0]"},
                                                           {"[1,0]"},
                                                           {"[2]"},
                                                           {"false"},
                                                           {"true"},
                                                           {"null"},
                                                           {"-1", "-1.0"},
                                                           {"0", "-0.0", "0.0"},
                                                           {"9007199254740992", "9007199254740992.0"},
                                                           {"9007199254740993"},
                                                           {"18446744073709551615"},
                                                           {"1e300"},
                                                           {"{}"},
                                                           {"{\"a\":1}", "{\"a\":1.0}"},
                                                           {"{\"a\":2}"},
                                                           {"{\"b\":0}"},
                                                           {"{\"a\":0,\"b\":0}"},
                                                           {"\"\""},
                                                           {"\"a\""},
                                                           {"\"ab\""},
                                                           {"\"b\""}};
  for (std::size_t i = 0; i < ascending.size(); ++i)
    for (std::size_t j = 0; j < ascending.size(); ++j)
      for (const char* a : ascending[i])
        for (const char* b : ascending[j])
          EXPECT_EQ(sign_of(Json::parse(a), Json::parse(b)), i < j ? -1 : i > j ? 1 : 0) << a << " and " << b;
}

TEST(Order, CountsWhatItLooksAt) {
  std::size_t steps = 0;
  const Json list = std::vector<int>(100, 7);
  compare(list, list, steps);
  EXPECT_EQ(steps, 101U);
  steps = 0;
  compare(Json(std::string(64'000, 'a')), Json(std::string(64'000, 'a')), steps);
  EXPECT_EQ(steps, 1001U);
}

TEST(Order, KnowsTypes) {
  EXPECT_TRUE(is_of_type(Json(1.0), "integer"));
  EXPECT_FALSE(is_of_type(Json(1.5), "integer"));
  EXPECT_TRUE(is_of_type(Json(1), "number"));
  EXPECT_FALSE(is_of_type(Json("1"), "number"));
  EXPECT_TRUE(is_of_type(Json(), "null"));
  EXPECT_EQ(type_of(Json(true)), "boolean");
}

}  // namespace
}  // namespace teamster::schema
