#include "schema/schema.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"

namespace teamster::schema {
namespace {

using Problems = std::vector<std::string>;

Problems problems(const char* document, const Json& value) {
  auto schema = Schema::compile(Json::parse(document));
  if (!schema) return {"schema: " + schema.error().text()};
  return schema->check(value);
}
Problems problems(const char* document, const char* value) { return problems(document, Json::parse(value)); }

TEST(Schema, NamesThePlaceAndWhatWasExpected) {
  const char* schema = R"({"type":"object","required":["name","state"],"additionalProperties":false,"properties":{
    "name":{"type":"string","minLength":2,"maxLength":4,"pattern":"^[a-z]+$"},
    "state":{"enum":["ok","failed",null]},
    "count":{"type":"integer","minimum":1,"exclusiveMaximum":10,"multipleOf":3},
    "list":{"type":"array","items":{"type":["string","null"]},"minItems":1,"maxItems":2}}})";
  EXPECT_EQ(problems(schema, R"({"name":"abc","state":null,"count":9,"list":["x",null]})"), Problems{});
  EXPECT_EQ(problems(schema, "[]"), Problems{"'#': expected object, got array"});
  EXPECT_EQ(problems(schema, R"({"state":"done","name":7})"),
            (Problems{"'#/name': expected string, got integer",
                      "'#/state': expected one of \"ok\", \"failed\", null, got 'done'"}));
  EXPECT_EQ(problems(schema, R"({})"),
            (Problems{"'#': missing required property 'name'", "'#': missing required property 'state'"}));
  EXPECT_EQ(problems(schema, R"({"name":"A","state":"ok"})"),
            (Problems{"'#/name': expected at least 2 characters, got 1",
                      "'#/name': expected a text that matches ^[a-z]+$, got 'A'"}));
  EXPECT_EQ(problems(schema, R"({"name":"ab","state":"ok","count":10})"),
            (Problems{"'#/count': expected a number below 10, got 10",
                      "'#/count': expected a number that is a multiple of 3, got 10"}));
  EXPECT_EQ(problems(schema, R"({"name":"ab","state":"ok","count":1.5})"),
            Problems{"'#/count': expected integer, got number"});
  EXPECT_EQ(problems(schema, R"({"name":"ab","state":"ok","list":["a",1]})"),
            Problems{"'#/list/1': expected string or null, got integer"});
  EXPECT_EQ(problems(schema, R"({"name":"ab","state":"ok","list":[]})"),
            Problems{"'#/list': array should contain no fewer than 1 elements"});
}

TEST(Schema, NamesEveryPropertyThatIsTooMuch) {
  const char* schema = R"({"properties":{"a":true,"no":false},"additionalProperties":false})";
  EXPECT_EQ(problems(schema, R"({"a":1,"b":2,"c":3,"no":4})"),
            (Problems{"'#/no': is not allowed here", "'#/b': is not allowed here", "'#/c': is not allowed here"}));
}

TEST(Schema, WritesPointersAsTheStandardSays) {
  EXPECT_EQ(problems(R"({"additionalProperties":{"additionalProperties":{"type":"null"}}})", R"({"a/b":{"m~n":1}})"),
            Problems{"'#/a~1b/m~0n': expected null, got integer"});
}

TEST(Schema, CombinesSchemas) {
  EXPECT_EQ(problems(R"({"anyOf":[{"type":"string"},{"type":"null"}]})", "1"),
            (Problems{"'#': expected string, got integer", "'#': expected null, got integer"}));
  EXPECT_EQ(problems(R"({"anyOf":[{"type":"string"},{"type":"null"}]})", "null"), Problems{});
  EXPECT_EQ(problems(R"({"oneOf":[{"type":"number"},{"type":"integer"}]})", "1").size(), 1U);
  EXPECT_EQ(problems(R"({"oneOf":[{"type":"number"},{"type":"integer"}]})", "1.5"), Problems{});
  EXPECT_EQ(problems(R"({"not":{"type":"string"}})", R"("x")").size(), 1U);
  const char* conditional =
      R"({"if":{"properties":{"kind":{"const":"a"}}},"then":{"required":["x"]},"else":{"required":["y"]}})";
  EXPECT_EQ(problems(conditional, R"({"kind":"a"})"), Problems{"'#': missing required property 'x'"});
  EXPECT_EQ(problems(conditional, R"({"kind":"b"})"), Problems{"'#': missing required property 'y'"});
  EXPECT_EQ(problems(R"({"contains":{"const":5}})", "[1,2]").size(), 1U);
  EXPECT_EQ(problems(R"({"contains":{"const":5}})", "[1,5.0]"), Problems{});
}

TEST(Schema, UnderstandsBothDialects) {
  EXPECT_EQ(problems(R"({"prefixItems":[{"type":"string"}],"items":{"type":"integer"}})", R"(["a",1,"b"])"),
            Problems{"'#/2': expected integer, got string"});
  EXPECT_EQ(problems(R"({"items":[{"type":"string"}],"additionalItems":false})", R"(["a",1])"),
            Problems{"'#/1': is not allowed here"});
  EXPECT_EQ(
      problems(R"({"dependentRequired":{"a":["b"]},"dependentSchemas":{"a":{"required":["c"]}}})", R"({"a":1,"b":2})"),
      Problems{"'#': missing required property 'c'"});
  EXPECT_EQ(problems(R"({"dependencies":{"a":["b"]}})", R"({"a":1})"), Problems{"'#': missing dependency 'b'"});
  EXPECT_EQ(
      problems(R"({"$id":"https://example.com/x","id":"y","$schema":"https://json-schema.org/draft/2020-12/schema",
                         "title":5,"format":"date","x-own":[],"type":"integer"})",
               "1.0"),
      Problems{})
      << "annotations say nothing, and 1.0 is an integer";
}

TEST(Schema, FollowsReferencesWithinTheDocument) {
  const char* tree = R"({"$ref":"#/$defs/node","$defs":{
    "node":{"type":"object","required":["value"],"properties":{"value":{"$ref":"#/definitions/n~1m"},
            "children":{"type":"array","items":{"$ref":"#/$defs/node"}}}}},
    "definitions":{"n/m":{"type":"integer"}}})";
  EXPECT_EQ(problems(tree, R"({"value":1,"children":[{"value":2,"children":[]}]})"), Problems{});
  EXPECT_EQ(problems(tree, R"({"value":1,"children":[{"value":2,"children":[{"value":"x"}]}]})"),
            Problems{"'#/children/0/children/0/value': expected integer, got string"});
  EXPECT_EQ(
      problems(R"({"properties":{"a":{"$ref":"#"},"b":{"$ref":"#/properties/c","minimum":5},"c":{"type":"integer"}}})",
               R"({"a":{"a":{"b":3}}})"),
      Problems{"'#/a/a/b': expected a number from 5, got 3"})
      << "what stands beside a $ref counts";
  EXPECT_EQ(
      problems(R"({"prefixItems":[{"type":"string"}],"properties":{"a":{"$ref":"#/prefixItems/0"}}})", R"({"a":1})"),
      Problems{"'#/a': expected string, got integer"});
}

TEST(Schema, KeepsTheListOfProblemsShort) {
  Json many = Json::array();
  for (int i = 0; i < 300'000; ++i) many.push_back(Json::object());
  const auto found = problems(R"({"items":{"required":["x"]}})", many);
  EXPECT_EQ(found.size(), limits::kSchemaProblemsMax);
  EXPECT_EQ(found[0], "'#/0': missing required property 'x'");
  const auto long_one = problems(R"({"properties":{"a":{"const":1}},"additionalProperties":false})",
                                 Json{{std::string(100'000, 'x'), 1}});
  ASSERT_EQ(long_one.size(), 1U);
  EXPECT_LT(long_one[0].size(), 1000U);
}

TEST(Schema, SurvivesTextsThatAreMadeToHurt) {
  // Backtracking would take longer than the universe has, and a stack frame for each byte.
  EXPECT_EQ(problems(R"({"pattern":"^(a+)+$"})", Json(std::string(50'000, 'a') + "!")).size(), 1U);
  EXPECT_EQ(problems(R"({"pattern":"^(a|b)*$"})", Json(std::string(60'000, 'a'))), Problems{});
  const auto too_long = problems(R"({"pattern":"a"})", Json(std::string(100'000, 'a')));
  ASSERT_EQ(too_long.size(), 1U);
  EXPECT_NE(too_long[0].find("65536"), std::string::npos) << too_long[0];
  const Json with_nul = std::string("ab\0cd", 5);
  EXPECT_EQ(problems(R"({"maxLength":4})", with_nul), Problems{"'#': expected at most 4 characters, got 5"});
  EXPECT_EQ(problems(R"({"maxLength":2})", Json("äö")), Problems{});
}

TEST(Schema, BoundsWhatTakesSquareTime) {
  Json list = Json::array();
  for (int i = 0; i < 300'000; ++i) list.push_back(i);
  const auto found = problems(R"({"uniqueItems":true})", list);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found[0].find("300000"), std::string::npos);
  EXPECT_EQ(problems(R"({"uniqueItems":true})", "[1,2,1]").size(), 1U);
  EXPECT_EQ(problems(R"({"uniqueItems":true})", "[1,2,3]"), Problems{});
}

TEST(Schema, ChecksNames) {
  EXPECT_EQ(
      problems(R"({"patternProperties":{"^n_":{"type":"integer"}},"additionalProperties":false})", R"({"n_a":1})"),
      Problems{});
  EXPECT_EQ(problems(R"({"patternProperties":{"^n_":{"type":"integer"}}})", R"({"n_a":"x"})"),
            Problems{"'#/n_a': expected integer, got string"});
  EXPECT_EQ(problems(R"({"propertyNames":{"pattern":"^[a-z]+$"}})", R"({"A":1})").size(), 1U);
  EXPECT_EQ(problems(R"({"propertyNames":{"pattern":"^[a-z]+$"}})", R"({"a":1})"), Problems{});
  EXPECT_EQ(problems(R"({"patternProperties":{"^a":true}})", Json{{std::string(5000, 'a'), 1}}).size(), 1U);
}

TEST(Schema, IsMovedAndUsedAgain) {
  auto first = Schema::compile(Json::parse(R"({"type":"string","pattern":"x"})"));
  ASSERT_TRUE(first);
  Schema second = *std::move(first);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(second.check(Json("x")), Problems{});
    EXPECT_EQ(second.check(Json(1)).size(), 1U);
  }
}

TEST(Schema, ReadsADeepValue) {
  Json value = 1;
  for (std::size_t i = 0; i < limits::kJsonMaxDepth - 1; ++i) value = Json::array({value});
  EXPECT_EQ(problems(R"({"type":["array","integer"],"items":{"$ref":"#"}})", value), Problems{});
}

}  // namespace
}  // namespace teamster::schema
