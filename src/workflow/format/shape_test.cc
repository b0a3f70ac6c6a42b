#include "workflow/format/shape.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace teamster::workflow {
namespace {

Shape shape(const char* schema) { return Shape(Json::parse(schema)); }

TEST(Shape, KnowsItsFields) {
  const Shape answer = shape(R"({"type":"object","properties":{
    "a":{"type":"boolean"},"b":{"type":"object","properties":{"c":{"enum":["x","y"]}}},"open":{"type":"object"}}})");
  EXPECT_EQ(answer.field_names(), (std::vector<std::string>{"a", "b", "open"}));
  EXPECT_FALSE(answer.field("d"));
  EXPECT_FALSE(answer.field("a")->field("x"));
  EXPECT_TRUE(answer.field(std::vector<std::string>{"b", "c"}));
  EXPECT_FALSE(answer.field(std::vector<std::string>{"b", "d"}));
  // A schema that names no fields leaves them open.
  EXPECT_TRUE(answer.field("open")->field("anything"));
}

TEST(Shape, KnowsWhatAFieldCanNeverBe) {
  const Shape answer = shape(R"({"properties":{
    "flag":{"type":"boolean"},"state":{"enum":["ON","OFF"]},"count":{"type":"integer","minimum":1},"any":{}}})");
  EXPECT_TRUE(answer.field("flag")->can_be(false));
  EXPECT_FALSE(answer.field("flag")->can_be("false"));
  EXPECT_TRUE(answer.field("state")->can_be("ON"));
  EXPECT_FALSE(answer.field("state")->can_be("on"));
  EXPECT_FALSE(answer.field("count")->can_be(0));
  EXPECT_TRUE(answer.field("any")->can_be(Json::parse("[1]")));
}

TEST(Shape, LooksThroughReferencesAndCombinations) {
  const Shape answer = shape(R"({"$defs":{"verdict":{"enum":["PASS","FAIL"]}},
    "allOf":[{"properties":{"a":{"$ref":"#/$defs/verdict"}}}],
    "anyOf":[{"properties":{"b":{"type":"string"}}},{"properties":{"b":{"type":"integer"}}}],
    "if":{"properties":{"only_asked":{}}},"else":{"properties":{"c":{"type":"null"}}}})");
  EXPECT_EQ(answer.field_names(), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_TRUE(answer.field("a")->can_be("PASS"));
  EXPECT_FALSE(answer.field("a")->can_be("pass"));
  EXPECT_TRUE(answer.field("b")->can_be(1));
  EXPECT_TRUE(answer.field("b")->can_be("x"));
  EXPECT_FALSE(answer.field("b")->can_be(true));
}

TEST(Shape, KnowsTheEntriesOfLists) {
  const Json entry = Json::parse(R"({"$defs":{"n":{"type":"integer"}},"properties":{"x":{"$ref":"#/$defs/n"}}})");
  const Shape list = Shape::list_of(entry);
  ASSERT_TRUE(list.field("x")) << "the list of what the entries have there";
  EXPECT_FALSE(list.field("x")->can_be(1));
  EXPECT_TRUE(list.field("x")->can_be(Json::parse("[1]")));
  EXPECT_FALSE(list.field("x")->can_be(Json::parse(R"(["1"])")));
  EXPECT_FALSE(list.field("y"));
  ASSERT_TRUE(list.entries());
  EXPECT_FALSE(list.entries()->field("x")->can_be("1"));
  EXPECT_FALSE(shape(R"({"type":"string"})").entries());
}

TEST(Shape, EndsForSchemasThatGoRoundInCircles) {
  const Shape tree = shape(R"({"properties":{"child":{"$ref":"#"}}})");
  std::vector<std::string> path(100, "child");
  EXPECT_TRUE(tree.field(path));
  EXPECT_TRUE(shape(R"({"$ref":"#"})").can_be(1));
}

}  // namespace
}  // namespace teamster::workflow
