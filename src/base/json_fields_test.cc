#include "base/json_fields.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace teamster {
namespace {

TEST(JsonFields, WhatIsMissingOrOfAnotherTypeIsAsNothing) {
  const Json object = Json::parse(R"({"text":"a","number":7,"real":0.5,"flag":true,"list":[1],"object":{"x":1}})");
  EXPECT_EQ(raw_text_in(object, "text"), "a");
  EXPECT_EQ(number_in(object, "number"), 7);
  EXPECT_EQ(real_in(object, "real"), 0.5);
  EXPECT_TRUE(flag_in(object, "flag"));
  EXPECT_EQ(list_in(object, "list").size(), 1U);
  EXPECT_EQ(object_in(object, "object").size(), 1U);
  for (const Json& other : {object, Json(), Json(7), Json::array({1})}) {
    EXPECT_EQ(raw_text_in(other, "number"), "");
    EXPECT_EQ(number_in(other, "text"), 0);
    EXPECT_EQ(real_in(other, "none"), 0);
    EXPECT_FALSE(flag_in(other, "number"));
    EXPECT_EQ(list_in(other, "object"), Json::array());
    EXPECT_EQ(object_in(other, "list"), Json::object());
    EXPECT_TRUE(field_in(other, "none").is_null());
  }
}

}  // namespace
}  // namespace teamster
