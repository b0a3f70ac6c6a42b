#include "script/template.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace teamster::script {
namespace {

class TemplateTest : public testing::Test {
 protected:
  std::map<std::string, Json> saved_{{"claim", {{"id", 4}, {"list", {"a", "b"}}, {"deep", {{"x", "y"}}}}},
                                     {"text", "t"}};
  Words words_{.texts = {{"PROMPT", "do {{TURN}}"}, {"TURN", "2"}}, .saved = saved_};
};

TEST_F(TemplateTest, FillsOnceAndLeavesWhatItDoesNotKnow) {
  EXPECT_EQ(fill("{{TURN}}: {{PROMPT}}", words_), "2: do {{TURN}}");
  EXPECT_EQ(fill("{{OTHER}} {{ TURN }} {{TURN {{}} {{TURN}}}", words_), "{{OTHER}} {{ TURN }} {{TURN {{}} 2}");
  EXPECT_EQ(fill("{{{TURN}}}", words_), "{{{TURN}}}");
  EXPECT_EQ(fill("", words_), "");
}

TEST_F(TemplateTest, FindsSavedAnswers) {
  EXPECT_EQ(fill("{{claim.id}} {{claim.list.1}} {{claim.deep.x}} {{text}} {{claim.deep}}", words_),
            R"(4 b y t {"x":"y"})");
  EXPECT_EQ(fill("{{claim.list.2}}{{claim.list.x}}{{claim.none.x}}{{none}}", words_),
            "{{claim.list.2}}{{claim.list.x}}{{claim.none.x}}{{none}}");
}

TEST_F(TemplateTest, KeepsTheTypeOfAWholeValue) {
  EXPECT_EQ(fill_json(Json::parse(R"({"id":"{{claim.id}}","all":["{{claim.list}}","n {{claim.id}}"],"n":1})"), words_),
            Json::parse(R"({"id":4,"all":[["a","b"],"n 4"],"n":1})"));
}

}  // namespace
}  // namespace teamster::script
