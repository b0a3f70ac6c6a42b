#include "interop/collab_state.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace teamster::interop {
namespace {

TEST(CollabState, HasThreadsFlatOrNested) {
  const Json flat = {{"run_id", "x"}, {"threads", {{"@sam", "1.2"}}}};
  EXPECT_EQ(with_our_names(flat)["thread_ids"], Json({{"@sam", "1.2"}}));
  const Json nested = {{"threads", {{"stakeholders", {{"@sam+@ida", "3.4"}}}}}, {"has_qa", true}};
  EXPECT_EQ(with_our_names(nested)["thread_ids"], Json({{"@sam+@ida", "3.4"}}));
}

TEST(CollabState, OfOursStaysAsItIs) {
  const Json ours = {{"thread_ids", {{"@sam", "r/sam"}}}, {"threads", {{"@sam", "other"}}}};
  EXPECT_EQ(with_our_names(ours)["thread_ids"], Json({{"@sam", "r/sam"}}));
  EXPECT_EQ(with_our_names(Json::array()), Json::array());
}

}  // namespace
}  // namespace teamster::interop
