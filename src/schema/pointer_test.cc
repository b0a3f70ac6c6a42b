#include "schema/pointer.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace teamster::schema {
namespace {

TEST(Pointer, LeadsToPlaces) {
  const Json document = Json::parse(R"({"a":{"b":[10,{"c":20}]},"":30,"x/y":{"~":40},"p q":50,"%":60})");
  const auto at = [&](const char* pointer) {
    const Json* found = find_by_pointer(document, pointer);
    return found != nullptr ? *found : Json("nothing");
  };
  EXPECT_EQ(at(""), document);
  EXPECT_EQ(at("/a/b/0"), 10);
  EXPECT_EQ(at("/a/b/1/c"), 20);
  EXPECT_EQ(at("/"), 30);
  EXPECT_EQ(at("/x~1y/~0"), 40);
  EXPECT_EQ(at("/p%20q"), 50);
  EXPECT_EQ(at("/%25"), 60);
  EXPECT_EQ(at("/%"), 60) << "a lone % stands for itself";
  for (const char* pointer :
       {"a", "/b", "/a/b/2", "/a/b/-1", "/a/b/01x", "/a/b/0/x", "/a/b/99999999999999999999", "//", "/p%2"})
    EXPECT_EQ(at(pointer), "nothing") << pointer;
}

TEST(Pointer, EscapesSteps) {
  EXPECT_EQ(escaped_token("a/b~c"), "a~1b~0c");
  EXPECT_EQ(escaped_token("~1"), "~01");
}

}  // namespace
}  // namespace teamster::schema
