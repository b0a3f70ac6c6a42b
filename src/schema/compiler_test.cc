#include "schema/compiler.h"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/limits.h"
#include "schema/schema.h"

namespace teamster::schema {
namespace {

std::string refusal(const Json& document) {
  const auto schema = Schema::compile(document);
  return schema ? "" : schema.error().text();
}
std::string refusal(const char* document) { return refusal(Json::parse(document)); }

void expect_refused(const char* document, const std::string& place, const std::string& why) {
  const std::string text = refusal(document);
  EXPECT_NE(text.find("'" + place + "'"), std::string::npos) << document << "\n" << text;
  EXPECT_NE(text.find(why), std::string::npos) << document << "\n" << text;
}

TEST(Compiler, RefusesWhatIsNoSchema) {
  for (const char* document : {"5", "\"x\"", "[]", "null"}) EXPECT_NE(refusal(document), "") << document;
  for (const char* document : {"true", "false", "{}"}) EXPECT_EQ(refusal(document), "") << document;
  expect_refused(R"({"properties":{"a":5}})", "#/properties/a", "neither an object");
  expect_refused(R"({"properties":[]})", "#/properties", "object of schemas");
  expect_refused(R"({"allOf":[]})", "#/allOf", "at least one");
  expect_refused(R"({"items":[{"type":"text"}]})", "#/items/0/type", "expected one of null");
  expect_refused(R"({"type":[]})", "#/type", "list of them");
  expect_refused(R"({"enum":[]})", "#/enum", "at least one");
  expect_refused(R"({"required":"name"})", "#/required", "list of names");
  expect_refused(R"({"minLength":-1})", "#/minLength", "whole number from 0");
  expect_refused(R"({"maxItems":1.5})", "#/maxItems", "whole number from 0");
  expect_refused(R"({"multipleOf":0})", "#/multipleOf", "above 0");
  expect_refused(R"({"exclusiveMinimum":true})", "#/exclusiveMinimum", "a number");
  expect_refused(R"({"uniqueItems":1})", "#/uniqueItems", "true or false");
  expect_refused(R"({"pattern":"(["})", "#/pattern", "not a regular expression");
  expect_refused(R"({"pattern":"(a)\\1"})", "#/pattern", "not a regular expression");
  expect_refused(R"x({"pattern":"(?=a)"})x", "#/pattern", "lookaround");
  expect_refused(R"({"pattern":5})", "#/pattern", "a regular expression");
  expect_refused(R"({"patternProperties":{"a":5}})", "#/patternProperties/a", "neither an object");
  expect_refused(R"({"patternProperties":{"a":true},"additionalProperties":5})", "#/additionalProperties", "neither");
  expect_refused(R"({"prefixItems":[true],"items":[true]})", "#/items", "beside prefixItems");
  expect_refused(R"({"contains":true,"minContains":-1})", "#/minContains", "whole number from 0");
  expect_refused(R"({"dependentRequired":{"a/b":{}}})", "#/dependentRequired/a~1b", "a list of names");
  expect_refused(R"({"dependentSchemas":{"a":["b"]}})", "#/dependentSchemas/a", "neither an object");
  expect_refused(R"({"patternProperties":{"[":true}})", "#/patternProperties", "not a regular expression");
  expect_refused(R"({"unevaluatedProperties":false})", "#/unevaluatedProperties", "not supported");
  expect_refused(R"({"$defs":{"unused":{"type":"x"}}})", "#/$defs/unused/type", "expected");
}

TEST(Compiler, RefusesReferencesThatLeadElsewhere) {
  for (const char* reference :
       {"https://example.com/schema.json", "http://x/y#/a", "other.json", "file:///etc/passwd", "urn:a:b", ""})
    EXPECT_NE(refusal({{"properties", {{"a", {{"$ref", reference}}}}}}).find("another document"), std::string::npos)
        << reference;
  expect_refused(R"({"$ref":"#/$defs/none"})", "#/$ref", "not there");
  expect_refused(R"({"$ref":"#name"})", "#/$ref", "not there");
  expect_refused(R"({"$ref":5})", "#/$ref", "not a string");
  expect_refused(R"({"$dynamicRef":"#"})", "#/$dynamicRef", "not supported");
  expect_refused(R"({"$ref":"#/$defs/a","$defs":{"a":{"$ref":"https://x"}}})", "#/$defs/a/$ref", "another document");
  expect_refused(R"({"$ref":"#/here/is","here":{"is":{"items":{"$ref":"#/no"}}}})", "#/here/is/items/$ref",
                 "not there");
  expect_refused(R"({"$ref":"#/here/is","here":{"is":[]}})", "#/here/is", "neither an object");
}

TEST(Compiler, RefusesReferencesThatGoRoundInCircles) {
  expect_refused(R"({"$ref":"#"})", "#", "itself");
  EXPECT_NE(refusal(R"({"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"allOf":[{"$ref":"#/$defs/a"}]}}})")
                .find("itself"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"anyOf":[{"not":{"if":{"$ref":"#"}}}]})").find("itself"), std::string::npos);
  EXPECT_NE(refusal(R"({"dependentSchemas":{"a":{"$ref":"#"}}})").find("itself"), std::string::npos);
  EXPECT_EQ(refusal(R"({"items":{"$ref":"#"},"contains":{"$ref":"#"}})"), "") << "each goes one level down";
}

TEST(Compiler, BoundsSizeAndDepth) {
  Json deep = true;
  for (std::size_t i = 0; i < limits::kJsonMaxDepth; ++i) deep = {{"not", deep}};
  EXPECT_NE(refusal(deep).find("levels"), std::string::npos);
  Json large;
  for (std::size_t i = 0; i < limits::kSchemaMaxBytes / 20; ++i)
    large["properties"][fmt::format("property-{:08}", i)] = true;
  EXPECT_NE(refusal(large).find("bytes"), std::string::npos);
  EXPECT_NE(refusal({{"description", std::string(limits::kSchemaMaxBytes, 'x')}}).find("bytes"), std::string::npos);
  EXPECT_NE(refusal({{"pattern", std::string(limits::kPatternMaxBytes + 1, 'x')}}).find("bytes"), std::string::npos);
}

// Each definition refers to the next: by a property, or for the same value.
Json chain(std::size_t length, bool for_same_value) {
  Json schema = {{"$ref", "#/$defs/d0"}};
  for (std::size_t i = 0; i < length; ++i) {
    const Json next = {{"$ref", fmt::format("#/$defs/d{}", i + 1)}};
    schema["$defs"][fmt::format("d{}", i)] =
        for_same_value ? Json{{"allOf", {next}}} : Json{{"properties", {{"a", next}}}};
  }
  schema["$defs"][fmt::format("d{}", length)] = {{"type", "integer"}};
  return schema;
}

TEST(Compiler, FollowsLongRowsOfReferences) {
  EXPECT_EQ(refusal(chain(2000, false)), "") << "each is for a part of the value before";
  EXPECT_EQ(refusal(chain(limits::kSchemaLevelsMax / 2 - 1, true)), "");
  EXPECT_NE(refusal(chain(limits::kSchemaLevelsMax / 2, true)).find("1024 schemas for one value"), std::string::npos);
  EXPECT_NE(refusal(chain(3000, true)).find("1024 schemas for one value"), std::string::npos);
}

TEST(Compiler, CompilesWhatIsReferredToOnce) {
  const auto nodes = compile_nodes(Json::parse(
      R"({"properties":{"a":{"$ref":"#/$defs/n"},"b":{"$ref":"#/$defs/n"},"c":{"$ref":"#"}},"$defs":{"n":{"type":"null"}}})"));
  ASSERT_TRUE(nodes);
  EXPECT_EQ(nodes->size(), 5U);
}

// Places are kept for errors; many below a long name must not take the memory of each of them.
TEST(Compiler, KeepsPlacesShort) {
  Json many = Json::array();
  for (int i = 0; i < 20'000; ++i) many.push_back(true);
  Json schema = Json::object();
  schema["properties"][std::string(100'000, 'x')]["allOf"] = std::move(many);
  schema["properties"][std::string(50'000, 'y')]["type"] = "none";
  EXPECT_LT(refusal(schema).size(), 1000U);
  EXPECT_NE(refusal(schema), "");
}

}  // namespace
}  // namespace teamster::schema
