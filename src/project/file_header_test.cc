#include "project/file_header.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace teamster::engine {
namespace {

constexpr const char* kHeaderSchema = R"({"type": "object", "required": ["skill", "status"],
  "properties": {"status": {"enum": ["PASS", "FAIL"]}, "gaps": {"type": "integer"}}})";

std::string why(const std::string& text, const Json& answer = Json::object()) {
  const auto checked = check_file_header(text, kHeaderSchema, answer);
  return checked ? "" : checked.error().text();
}

TEST(FileHeader, IsYamlBetweenTwoLines) {
  EXPECT_EQ(why("---\nskill: codebase\nstatus: PASS\n---\n# body\n"), "");
  EXPECT_EQ(why("---\r\nskill: codebase\r\nstatus: PASS\r\n---\r\n"), "");
  EXPECT_NE(why("# body\n").find("first line be `---`"), std::string::npos);
  EXPECT_NE(why("").find("does not begin with a header"), std::string::npos);
  EXPECT_NE(why("---\nskill: codebase\n").find("no end"), std::string::npos);
  EXPECT_NE(why("---\nskill: [\n---\n"), "");
}

TEST(FileHeader, FitsItsSchemaAndTheAnswer) {
  EXPECT_NE(why("---\nstatus: PASS\n---\n").find("skill"), std::string::npos);
  EXPECT_NE(why("---\nskill: a\nstatus: DONE\n---\n").find("status"), std::string::npos);
  const std::string good = "---\nskill: a\nstatus: PASS\ngaps: 0\n---\n";
  EXPECT_EQ(why(good, {{"status", "PASS"}, {"gaps", Json::array()}}), "") << "a list is compared with nothing";
  EXPECT_NE(why(good, {{"status", "FAIL"}}).find("status: \"PASS\", and the answer \"FAIL\""), std::string::npos);
}

}  // namespace
}  // namespace teamster::engine
