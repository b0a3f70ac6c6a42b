#include "base/json_view.h"

#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/json.h"

namespace teamster {
namespace {

TEST(JsonView, TellsWhatAValueIs) {
  EXPECT_TRUE(JsonView().is_null());
  EXPECT_TRUE(JsonView("null").is_null());
  EXPECT_TRUE(JsonView("true").is_true());
  EXPECT_FALSE(JsonView("\"true\"").is_true());
  EXPECT_TRUE(JsonView("{}").is_object());
  EXPECT_TRUE(JsonView("[]").is_list());
  EXPECT_EQ(JsonView("-17").integer(), -17);
  EXPECT_EQ(JsonView("1.5").integer(), std::nullopt);
  EXPECT_EQ(JsonView("\"1\"").integer(), std::nullopt);
  EXPECT_EQ(JsonView("1.5").number(), 1.5);
  EXPECT_EQ(JsonView("3").number(), 3.0);
  EXPECT_EQ(JsonView("true").number(), std::nullopt);
  EXPECT_EQ(JsonView("\"text\"").string(), "text");
  EXPECT_EQ(JsonView(R"("a\n\"\u00e9")").string(), "a\n\"é");
  EXPECT_EQ(JsonView("17").string(), std::nullopt);
  EXPECT_EQ(JsonView("\"").string(), std::nullopt);
}

TEST(JsonView, FindsFields) {
  const JsonView view(R"({"a": 1, "b\"": "}", "c": {"a": [1, {"x": "]"}]}, "d": "\\"})");
  EXPECT_EQ(view.field("a").text(), "1");
  EXPECT_EQ(view.field("c").text(), R"({"a": [1, {"x": "]"}]})");
  EXPECT_EQ(view.field("c").field("a").text(), R"([1, {"x": "]"}])");
  EXPECT_EQ(view.field("d").string(), "\\");
  EXPECT_TRUE(view.field("x").is_null());
  EXPECT_TRUE(JsonView("[1]").field("a").is_null());
  EXPECT_TRUE(JsonView("7").field("a").is_null());
}

// Every text of a value that a walk gives, and those inside it, is what the parser makes of it.
void expect_same(JsonView view, const Json& json) {
  const auto parsed = parse_json(view.text());
  ASSERT_TRUE(parsed) << view.text();
  EXPECT_EQ(*parsed, json);
  EXPECT_EQ(view.is_object(), json.is_object());
  EXPECT_EQ(view.is_list(), json.is_array());
  EXPECT_EQ(view.integer().has_value(), json.is_number_integer());
  EXPECT_EQ(view.number().has_value(), json.is_number());
  EXPECT_EQ(view.string().value_or(""), json.is_string() ? json.get<std::string>() : "");
  JsonCursor cursor(view.text());
  if (json.is_object()) {
    ASSERT_TRUE(cursor.enter_object());
    std::size_t count = 0;
    for (std::string_view name; cursor.next_field(name); ++count)
      expect_same(cursor.skip(), json.at(std::string(name)));
    EXPECT_EQ(count, json.size());
  } else if (json.is_array()) {
    ASSERT_TRUE(cursor.enter_list());
    std::size_t count = 0;
    for (; cursor.next_item(); ++count) expect_same(cursor.skip(), json.at(count));
    EXPECT_EQ(count, json.size());
  }
}

TEST(JsonCursor, WalksAsTheParserReads) {
  const Json json = Json::parse(R"({
    "empty": {}, "none": [], "list": [1, -2.5e3, "a,b", [[], {}], null, true],
    "text": "{[\"]}\\", "nested": {"a": {"b": {"c": [{"d": "\\\\\""}]}}}, "": 0, "false": false
  })");
  expect_same(JsonView(dump_json(json)), json);
  expect_same(JsonView(dump_json_pretty(json)), json);
}

TEST(JsonCursor, EntersWhatItWalksThrough) {
  JsonCursor cursor(R"({"a":[{"b":1},{"b":2}],"c":3})");
  std::string_view name;
  std::vector<std::string> seen;
  ASSERT_TRUE(cursor.enter_object());
  ASSERT_TRUE(cursor.next_field(name));
  ASSERT_TRUE(cursor.enter_list());
  while (cursor.next_item()) {
    ASSERT_TRUE(cursor.enter_object());
    while (cursor.next_field(name)) seen.push_back(std::string(name) + std::string(cursor.skip().text()));
  }
  ASSERT_TRUE(cursor.next_field(name));
  EXPECT_EQ(name, "c");
  EXPECT_FALSE(cursor.enter_list());
  EXPECT_EQ(cursor.skip().text(), "3");
  EXPECT_FALSE(cursor.next_field(name));
  EXPECT_EQ(seen, (std::vector<std::string>{"b1", "b2"}));
}

// Whatever it is given, a walk comes to an end and stays inside the text.
void walk(std::string_view text) {
  std::string_view name;
  JsonCursor fields(text);
  if (fields.enter_object())
    while (fields.next_field(name)) walk(fields.skip().text().substr(0, text.size() - 1));
  JsonCursor items(text);
  if (items.enter_list())
    while (items.next_item()) walk(items.skip().text().substr(0, text.size() - 1));
}

TEST(JsonCursor, ComesToAnEndInWhatIsNotJson) {
  for (const char* text : {"",       "{",       "[",        "[}",     "{]",        "{\"",   "{\"a",
                           "{\"a\"", "{\"a\":", "{\"a\":}", "[,,,]",  "[,}",       "{,,}",  "{\"a\":,\"b\":1}",
                           "[\"\\",  "[\"\\\"", "[[[[",     "[1 2 3", "{\"a\" 1}", "{1:2}", "[}}}}]"})
    walk(text);
  const std::string sound = R"({"a":[1,{"b":"\"\\"}],"c":"x"})";
  for (std::size_t size = 0; size < sound.size(); ++size) walk(std::string_view(sound).substr(0, size));
  const std::string deep(100'000, '[');
  EXPECT_EQ(JsonCursor(deep).skip().text(), deep);
}

}  // namespace
}  // namespace teamster
