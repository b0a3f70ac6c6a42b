#include "schema/example.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "schema/schema.h"

namespace teamster::schema {
namespace {

Json made_for(const char* schema, const ExampleOptions& options = {}) {
  auto made = example_of(Json::parse(schema), options);
  EXPECT_TRUE(made) << schema << ": " << (made ? "" : made.error().text());
  return made ? *made : Json();
}

TEST(Example, HasWhatIsRequiredAndNoMore) {
  EXPECT_EQ(made_for(R"({"type": "object", "required": ["summary", "passed"], "properties": {
                         "summary": {"type": "string"}, "passed": {"type": "boolean"}, "note": {"type": "string"}}})"),
            Json::parse(R"({"summary": "summary", "passed": true})"));
  EXPECT_EQ(made_for(R"({"type": "object", "properties": {"note": {"type": "string"}}})"), Json::object());
  EXPECT_EQ(made_for(R"({"type": "object", "properties": {"note": {"type": "string"}, "no": false}})",
                     {.has_optional = true}),
            Json::parse(R"({"note": "note"})"));
  EXPECT_EQ(made_for(R"({"required": ["anything"]})"), Json::parse(R"({"anything": "anything"})"));
}

TEST(Example, TakesTheFirstOfWhatMayBeChosen) {
  EXPECT_EQ(made_for(R"({"enum": ["PASS", "FAIL"]})"), "PASS");
  EXPECT_EQ(made_for(R"({"const": 7})"), 7);
  EXPECT_EQ(made_for(R"({"type": ["null", "integer"]})"), 0);
  EXPECT_EQ(made_for(R"({"type": "null"})"), Json());
  EXPECT_EQ(made_for(R"({"type": "string", "default": "as it is"})"), "as it is");
  EXPECT_EQ(made_for(R"({"anyOf": [{"type": "integer", "minimum": 3}, {"type": "string"}]})"), 3);
}

TEST(Example, NumbersAreWithinTheirBounds) {
  for (const char* schema :
       {R"({"type": "integer", "minimum": 5})", R"({"type": "integer", "maximum": -3})",
        R"({"type": "number", "exclusiveMinimum": 0})", R"({"type": "number", "minimum": 0.2, "maximum": 0.5})",
        R"({"type": "integer", "exclusiveMaximum": 0})", R"({"type": "integer", "minimum": 7, "multipleOf": 5})",
        R"({"type": "number", "minimum": 0.1, "multipleOf": 0.25})"})
    made_for(schema);
  EXPECT_EQ(made_for(R"({"type": "integer", "minimum": 7, "multipleOf": 5})"), 10);
  EXPECT_EQ(made_for(R"({"type": "integer"})"), 0);
}

TEST(Example, ListsHaveAsManyEntriesAsTheyMustHave) {
  EXPECT_EQ(made_for(R"({"type": "array", "items": {"type": "string"}})"), Json::array());
  EXPECT_EQ(made_for(R"({"type": "array", "minItems": 2, "items": {"type": "integer", "minimum": 1}})"),
            Json::parse("[1, 1]"));
  EXPECT_EQ(made_for(R"({"type": "array", "minItems": 3, "uniqueItems": true, "items": {"type": "integer"}})"),
            Json::parse("[0, 1, 2]"));
  EXPECT_EQ(made_for(R"({"type": "array", "minItems": 2, "uniqueItems": true, "items": {"enum": ["a", "b"]}})"),
            Json::parse(R"(["a", "b"])"));
  made_for(R"({"type": "array", "minItems": 2, "uniqueItems": true,
               "items": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}}})");
  EXPECT_EQ(made_for(R"({"type": "array", "contains": {"const": "x"}})"), Json::parse(R"(["x"])"));
  EXPECT_EQ(made_for(R"({"type": "array", "minItems": 2, "prefixItems": [{"const": 1}], "items": {"const": 2}})"),
            Json::parse("[1, 2]"));
  const ExampleOptions filled{.is_filled = [](const std::string& path) { return path == "plan/parts"; }};
  EXPECT_EQ(made_for(R"({"required": ["plan"], "properties": {"plan": {"required": ["parts", "more"], "properties": {
                         "parts": {"type": "array", "items": {"type": "object", "required": ["id"]}},
                         "more": {"type": "array"}}}}})",
                     filled),
            Json::parse(R"({"plan": {"parts": [{"id": "id"}], "more": []}})"));
}

TEST(Example, TextsHaveTheirLengthAndAreLikeTheirPattern) {
  EXPECT_EQ(made_for(R"({"type": "string", "minLength": 6})"), "textxx");
  EXPECT_EQ(made_for(R"({"type": "string", "maxLength": 2})"), "te");
  EXPECT_EQ(made_for(R"({"type": "string", "pattern": "^[0-9]{2}$"})"), "00");
  for (const char* pattern : {"^[a-f0-9]{40}$", "^specs/\\\\d+-[a-z]+\\\\.md$", "^(feat|fix)(\\\\([a-z]+\\\\))?: .+$",
                              "^v\\\\d+\\\\.\\\\d+$", "[^x]+", "^a{2,3}b*c+?$", "^(?:ab)+\\\\|$"})
    made_for((R"({"type": "string", "pattern": ")" + std::string(pattern) + "\"}").c_str());
  EXPECT_EQ(text_like("^(feat|fix): [A-Z]\\w+$"), "feat: Ax");
}

TEST(Example, IsMadeOfWhatASchemaRefersToAndIsMadeOf) {
  EXPECT_EQ(made_for(R"({"$ref": "#/$defs/entry", "$defs": {"entry": {"type": "object", "required": ["id"],
                         "properties": {"id": {"$ref": "#/$defs/id"}}}, "id": {"type": "integer", "minimum": 1}}})"),
            Json::parse(R"({"id": 1})"));
  EXPECT_EQ(made_for(R"({"allOf": [{"required": ["a"], "properties": {"a": {"const": 1}}},
                                   {"required": ["b"], "properties": {"b": {"const": 2}}}]})"),
            Json::parse(R"({"a": 1, "b": 2})"));
  EXPECT_EQ(made_for(R"({"required": ["a"], "properties": {"a": {"const": 1}},
                         "oneOf": [{"required": ["b"], "not": {"required": ["a"]}}, {"required": ["c"]}]})"),
            Json::parse(R"({"a": 1, "c": "c"})"))
      << "the first that works";
  made_for(R"({"required": ["kind"], "properties": {"kind": {"enum": ["a", "b"]}},
               "if": {"properties": {"kind": {"const": "a"}}}, "then": {"required": ["why"]}})");
}

TEST(Example, WhatRefersToItselfHasAnEnd) {
  made_for(R"({"type": "object", "properties": {"more": {"$ref": "#"}}})", {.has_optional = true});
  EXPECT_FALSE(example_of(Json::parse(R"({"type": "object", "required": ["more"], "properties": {"more": {"$ref": "#"},
                                          "a": {"$ref": "#"}, "b": {"$ref": "#"}}})"),
                          {.has_optional = true}));
  Json wide = Json::parse(R"({"$defs": {}, "$ref": "#/$defs/d0"})");
  for (int i = 0; i < 30; ++i)
    wide["$defs"]["d" + std::to_string(i)] = {
        {"allOf", {{{"$ref", "#/$defs/d" + std::to_string(i + 1)}}, {{"$ref", "#/$defs/d" + std::to_string(i + 1)}}}}};
  wide["$defs"]["d30"] = {{"type", "string"}};
  (void)example_of(wide);
}

TEST(Example, WhatCannotBeMadeSaysWhy) {
  const auto impossible = example_of(Json::parse(R"({"type": "string", "minLength": 5, "maxLength": 2})"));
  ASSERT_FALSE(impossible);
  EXPECT_NE(impossible.error().text().find("no example"), std::string::npos) << impossible.error().text();
  EXPECT_FALSE(example_of(Json::parse(R"({"type": "strin"})"))) << "it is no schema";
}

}  // namespace
}  // namespace teamster::schema
