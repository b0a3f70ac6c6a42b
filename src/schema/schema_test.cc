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
                      "'#/name': expected a text that matches '^[a-z]+$', got 'A'"}));
  EXPECT_EQ(problems(schema, R"({"name":"ab","state":"ok","count":10})"),
            (Problems{"'#/count': expected a number below 10, got 10",
                      "'#/count': expected a number that is a multiple of 3, got 10"}));
  EXPECT_EQ(problems(schema, R"({"name":"ab","state":"ok","count":1.5})"),
            Problems{"'#/count': expected integer, got number"});
  EXPECT_EQ(problems(schema, R"({"name":"ab","state":"ok","list":["a",1]})"),
            Problems{"'#/list/1': expected string or null, got integer"});
  EXPECT_EQ(problems(schema, R"({"name":"ab","state":"ok","list":[]})"),
            Problems{"'#/list': expected at least 1 item, got 0"});
}

TEST(Schema, NamesEveryPropertyThatIsTooMuch) {
  const char* schema = R"({"properties":{"a":true,"no":false},"additionalProperties":false})";
  EXPECT_EQ(problems(schema, R"({"a":1,"b":2,"c":3,"no":4})"),
            (Problems{"'#/b': is not allowed here", "'#/c': is not allowed here", "'#/no': is not allowed here"}));
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

TEST(Schema, TellsEachProblemOnce) {
  EXPECT_EQ(problems(R"({"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"},{"required":["y"]}],
                         "$defs":{"a":{"required":["x"]}}})",
                     "{}"),
            (Problems{"'#': missing required property 'x'", "'#': missing required property 'y'"}));
  EXPECT_EQ(problems(R"({"oneOf":[true,{"type":"null"},true]})", "1"),
            Problems{"'#': expected to conform to one schema of \"oneOf\", but does to those at 0 and 2"});
  EXPECT_EQ(problems(R"({"type":"integer","minimum":5,"const":7})", R"("x")"),
            Problems{"'#': expected integer, got string"})
      << "a wrong type says it all";
}

TEST(Schema, ComparesNumbersAsTheyAre) {
  EXPECT_EQ(problems(R"({"const":9007199254740993})", "9007199254740992").size(), 1U);
  EXPECT_EQ(problems(R"({"maximum":9007199254740992})", "9007199254740993").size(), 1U);
  EXPECT_EQ(problems(R"({"const":-1})", "18446744073709551615").size(), 1U);
  EXPECT_EQ(problems(R"({"minimum":-1})", "18446744073709551615"), Problems{});
  EXPECT_EQ(problems(R"({"enum":[1,{"a":[2.0]}]})", R"({"a":[2]})"), Problems{});
  EXPECT_EQ(problems(R"({"multipleOf":0.1})", "0.3"), Problems{});
  EXPECT_EQ(problems(R"({"multipleOf":0.1})", "0.35").size(), 1U);
  EXPECT_EQ(problems(R"({"multipleOf":3})", "9007199254740993"), Problems{});
  EXPECT_EQ(problems(R"({"type":"integer"})", "1e300"), Problems{});
  EXPECT_EQ(problems(R"({"exclusiveMinimum":1.5})", "1.5"), Problems{"'#': expected a number above 1.5, got 1.5"});
}

TEST(Schema, CountsWhatAListContains) {
  const char* schema = R"({"contains":{"type":"string"},"minContains":2,"maxContains":3})";
  EXPECT_EQ(problems(schema, R"(["a",1,"b"])"), Problems{});
  EXPECT_EQ(problems(schema, R"(["a",1])"), Problems{"'#': expected at least 2 items as \"contains\" says, got 1"});
  EXPECT_EQ(problems(schema, R"(["a","b","c","d"])"),
            Problems{"'#': expected at most 3 items as \"contains\" says, got more"});
  EXPECT_EQ(problems(R"({"contains":false,"minContains":0})", "[1]"), Problems{});
  EXPECT_EQ(problems(R"({"minContains":5})", "[1]"), Problems{}) << "it says nothing alone";
}

TEST(Schema, UnderstandsBothDialects) {
  EXPECT_EQ(problems(R"({"prefixItems":[{"type":"string"}],"items":{"type":"integer"}})", R"(["a",1,"b"])"),
            Problems{"'#/2': expected integer, got string"});
  EXPECT_EQ(problems(R"({"items":[{"type":"string"}],"additionalItems":false})", R"(["a",1])"),
            Problems{"'#/1': is not allowed here"});
  EXPECT_EQ(
      problems(R"({"dependentRequired":{"a":["b"]},"dependentSchemas":{"a":{"required":["c"]}}})", R"({"a":1,"b":2})"),
      Problems{"'#': missing required property 'c'"});
  EXPECT_EQ(problems(R"({"dependencies":{"a":["b"]}})", R"({"a":1})"),
            Problems{"'#': missing required property 'b', as there is 'a'"});
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
  EXPECT_EQ(
      problems(R"({"properties":{"a":{"$ref":"#name"}},"$defs":{"x":{"$anchor":"name","type":"null"}}})", R"({"a":1})"),
      Problems{"'#/a': expected null, got integer"})
      << "by a name";
  EXPECT_EQ(problems(R"({"$ref":"#/own/x","own":{"x":{"items":{"$ref":"#/own/y"}},"y":{"type":"null"}}})", "[1]"),
            Problems{"'#/0': expected null, got integer"})
      << "where no keyword looks";
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
  const std::string many(50'000, 'a');
  EXPECT_EQ(problems(R"({"pattern":"^(a+)+$"})", Json(many + "!")).size(), 1U);
  EXPECT_EQ(problems(R"({"pattern":"^(a|b)*$"})", Json(many)), Problems{});
  EXPECT_EQ(problems(R"({"patternProperties":{"^(a+)+$":false}})", Json{{many + "!", 1}}), Problems{});
  EXPECT_EQ(problems(R"({"pattern":"b$"})", Json(std::string(1'000'000, 'a') + "b")), Problems{});
  const Json with_nul = std::string("ab\0cd", 5);
  EXPECT_EQ(problems(R"({"maxLength":4})", with_nul), Problems{"'#': expected at most 4 characters, got 5"});
  EXPECT_EQ(problems(R"({"maxLength":2})", Json("äö")), Problems{});
  EXPECT_EQ(problems(R"({"pattern":"^..$"})", Json("äö")), Problems{});
}

TEST(Schema, ItemsThatMustDifferMayBeMany) {
  Json list = Json::array();
  for (int i = 0; i < 100'000; ++i) list.push_back(i);
  EXPECT_EQ(problems(R"({"uniqueItems":true})", list), Problems{});
  list.push_back(7.0);
  EXPECT_EQ(problems(R"({"uniqueItems":true})", list),
            Problems{"'#': expected items that differ, but those at 7 and 100000 are equal"});
  EXPECT_EQ(problems(R"({"uniqueItems":true})", R"([{"a":[1]},{"a":[2]},{"a":[1.0]}])").size(), 1U);
  EXPECT_EQ(problems(R"({"uniqueItems":true})", R"([1,true,"1",[1],{"1":1},null,0,false])"), Problems{});
  EXPECT_EQ(problems(R"({"uniqueItems":false})", "[1,1]"), Problems{});
}

void expect_given_up(const Problems& found, const char* why) {
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found[0].find("'#': cannot be checked: "), std::string::npos) << found[0];
  EXPECT_NE(found[0].find(why), std::string::npos) << found[0];
}

TEST(Schema, EndsAlsoWhenTheWorkMultiplies) {
  // Each level of the value doubles it.
  Json value = "x";
  for (int i = 0; i < 60; ++i) value = Json::array({value});
  const char* arm = R"({"type":"array","items":{"$ref":"#"}})";
  const std::string arms = std::string(arm) + "," + arm;
  expect_given_up(problems(("{\"anyOf\":[" + arms + ",{\"const\":1}]}").c_str(), value), "steps");
  expect_given_up(problems(("{\"oneOf\":[" + arms + "]}").c_str(), value), "steps");
  expect_given_up(problems(("{\"not\":{\"anyOf\":[" + arms + "]}}").c_str(), value), "steps");
}

// One step may not hide a long way: each of these does what takes long, over and over.
TEST(Schema, CountsWhatTakesLong) {
  const auto over_and_over = [](const Json& schema) {
    Json document = {{"$defs", {{"slow", schema}}}};
    for (int i = 0; i < 2000; ++i) document["anyOf"].push_back(Json{{"$ref", "#/$defs/slow"}});
    return document;
  };
  const Json text = std::string(2'000'000, 'a');
  const auto check = [](const Json& schema, const Json& value) { return Schema::compile(schema)->check(value); };
  expect_given_up(check(over_and_over({{"minLength", 3'000'000}}), text), "steps");
  expect_given_up(check(over_and_over({{"pattern", "b"}}), text), "steps");
  Json names = Json::array();
  for (int i = 0; i < 10'000; ++i) names.push_back(std::to_string(i));
  Json with_all = Json::object();
  for (const auto& name : names) with_all[name.get<std::string>()] = 1;
  Json all_but_one = names;
  all_but_one.push_back("not there");
  expect_given_up(check(over_and_over({{"required", all_but_one}}), with_all), "steps");
  expect_given_up(check(over_and_over({{"const", all_but_one}}), names), "steps");
}

TEST(Schema, BoundsItsLevels) {
  // The most that a value within the limits can need is refused before the stack is used up.
  Json schema = {{"items", {{"$ref", "#"}}}};
  for (int i = 0; i < 25; ++i) schema = Json{{"not", {{"not", schema}}}};
  Json value = 1;
  for (std::size_t i = 0; i + 1 < limits::kJsonMaxDepth; ++i) value = Json::array({value});
  expect_given_up(Schema::compile(schema)->check(value), "1024 schemas");
}

TEST(Schema, ChecksNames) {
  EXPECT_EQ(
      problems(R"({"patternProperties":{"^n_":{"type":"integer"}},"additionalProperties":false})", R"({"n_a":1})"),
      Problems{});
  EXPECT_EQ(problems(R"({"patternProperties":{"^n_":{"type":"integer"}}})", R"({"n_a":"x"})"),
            Problems{"'#/n_a': expected integer, got string"});
  EXPECT_EQ(problems(R"({"propertyNames":{"pattern":"^[a-z]+$"}})", R"({"A":1})").size(), 1U);
  EXPECT_EQ(problems(R"({"propertyNames":{"pattern":"^[a-z]+$"}})", R"({"a":1})"), Problems{});
  EXPECT_EQ(problems(R"({"$ref":"#/$defs/o","$defs":{"o":{"propertyNames":{"maxLength":1}}}})", R"({"bb":1,"c":2})"),
            Problems{"'#': the name 'bb': expected at most 1 character, got 2"});
  EXPECT_EQ(problems(R"({"propertyNames":false})", R"({"a":1})"), Problems{"'#': the name 'a': is not allowed here"});
  EXPECT_EQ(problems(R"({"properties":{"o":{"propertyNames":{"maxLength":1},"patternProperties":{"b":true}}}})",
                     R"({"o":{"bb":1}})")
                .size(),
            1U);
  const char* both =
      R"({"properties":{"a":{"type":"integer"}},"patternProperties":{"^n_":{"type":"integer"},"x$":{"minimum":5}},
                         "additionalProperties":false})";
  EXPECT_EQ(problems(both, R"({"a":1,"n_b":2,"n_x":7,"x":6})"), Problems{});
  EXPECT_EQ(problems(both, R"({"a":"s","n_x":1,"other":2,"n_y":"s"})"),
            (Problems{"'#/a': expected integer, got string", "'#/n_x': expected a number from 5, got 1",
                      "'#/n_y': expected integer, got string", "'#/other': is not allowed here"}));
  EXPECT_EQ(
      problems(R"({"patternProperties":{"^c":{"$ref":"#"},"^v":{"type":"integer"}}})", R"({"c1":{"c2":{"v":"x"}}})"),
      Problems{"'#/c1/c2/v': expected integer, got string"});
  EXPECT_EQ(problems(R"({"minProperties":2,"maxProperties":1})", R"({})"),
            Problems{"'#': expected at least 2 properties, got 0"});
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
