#include "workflow/format/bundle.h"

#include <gtest/gtest.h>

namespace teamster::workflow {
namespace {

TEST(Digest, ChangesWithEveryByteAndName) {
  const Bundle bundle{{"a", "xy"}, {"b", "z"}};
  EXPECT_EQ(digest(bundle).size(), 64U);
  EXPECT_EQ(digest(bundle), digest(Bundle{{"b", "z"}, {"a", "xy"}}));
  for (const Bundle& other : {Bundle{{"a", "x"}, {"b", "yz"}}, Bundle{{"a", "xy"}, {"c", "z"}}, Bundle{{"a", "xyz"}},
                              Bundle{{"a", "xy"}, {"b", "z\n"}}, Bundle{}})
    EXPECT_NE(digest(bundle), digest(other));
}

}  // namespace
}  // namespace teamster::workflow
