#include "base/json_text.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace teamster {
namespace {

TEST(JsonText, WritesWhatTheLibraryWrites) {
  const Json values = {nullptr,
                       true,
                       0,
                       -1,
                       INT64_MIN,
                       UINT64_MAX,
                       0.1,
                       1e300,
                       "",
                       "plain",
                       "\"\\/\b\f\n\r\t\x01\x1f\x7f",
                       "naïve 😀",
                       Json::object(),
                       Json::array(),
                       {{"b", {1, 2, {{"c", nullptr}}}}, {"a\n", "x"}},
                       std::string("\0x", 2)};
  for (const auto& value : values) {
    std::string text;
    append_json(text, value);
    EXPECT_EQ(text, value.dump());
  }
  EXPECT_EQ(dump_json(values), values.dump());
}

TEST(JsonText, WritesTextAsAnyParserReadsIt) {
  std::string all;
  for (int c = 0; c < 0x80; ++c) all += static_cast<char>(c);
  all += "ü€😀\xe2\x80\xa8";
  std::string out;
  append_json_string(out, all);
  EXPECT_EQ(Json::parse(out), all);
  EXPECT_EQ(out.find('\n'), std::string::npos);
  out.clear();
  append_json_string(out, "");
  EXPECT_EQ(out, "\"\"");
}

TEST(JsonText, SeesEveryCharacterWhereverItStands) {
  for (std::size_t size = 1; size <= 17; ++size)
    for (std::size_t at = 0; at < size; ++at)
      for (int c = 0; c < 0x80; ++c) {
        std::string given(size, at % 2 == 0 ? ' ' : '~');
        given[at] = static_cast<char>(c);
        std::string text;
        append_json_string(text, given);
        ASSERT_EQ(text, Json(given).dump());
      }
}

TEST(JsonText, ReplacesWhatIsNotUtf8) {
  std::string text;
  append_json_string(text, "a\xff\"");
  EXPECT_EQ(text, "\"a\xEF\xBF\xBD\\\"\"");
}

TEST(JsonText, AnObjectIsItsFields) {
  EXPECT_EQ(JsonObjectText().take(), "{}");
  const std::string text =
      JsonObjectText().add("n", -5).add("s", "a\"b").add_null("none").add_json("list", "[1,2]").take();
  EXPECT_EQ(text, R"({"n":-5,"s":"a\"b","none":null,"list":[1,2]})");
}

}  // namespace
}  // namespace teamster
