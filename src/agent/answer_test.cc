#include "agent/answer.h"

#include <gtest/gtest.h>

namespace teamster::agent {
namespace {

const Json kScoreSchema = {{"type", "object"},
                           {"required", {"score"}},
                           {"properties", {{"score", {{"type", "integer"}}}}},
                           {"additionalProperties", false}};

Json found(std::string_view text) { return last_json(text).value_or(Json("none")); }
Answer answer(const AnswerSources& sources) {
  auto schema = schema::Schema::compile(kScoreSchema);
  EXPECT_TRUE(schema);
  return find_answer(sources, *schema);
}

TEST(LastJson, TheWholeTextMayBeIt) {
  EXPECT_EQ(found(R"({"a":1})"), Json({{"a", 1}}));
  EXPECT_EQ(found(" [1, 2] \n"), Json({1, 2}));
}

TEST(LastJson, InAFencedBlock) {
  EXPECT_EQ(found("Here:\n```json\n{\"a\": 1}\n```\nDone."), Json({{"a", 1}}));
  EXPECT_EQ(found("```\n[1]\n```"), Json::array({1}));
  EXPECT_EQ(found("~ ```json\n{\"a\":1}\n``` and ```json\n{\"a\":2}\n```"), Json({{"a", 2}})) << "the last one";
  EXPECT_EQ(found("```json\n{\"a\":1}\n```\n```sh\nls {a..b}\n```\n"), Json({{"a", 1}})) << "the last that is JSON";
  EXPECT_EQ(found("```json\n{\"code\":\"```\"}\n```"), Json({{"code", "```"}})) << "fences may be quoted";
}

TEST(LastJson, BareInTheText) {
  EXPECT_EQ(found(R"(I think it is {"a": {"b": [1, {"c": 2}]}}.)"), Json({{"a", {{"b", {1, {{"c", 2}}}}}}}))
      << "the whole of it, not what it holds";
  EXPECT_EQ(found(R"(First {"a":1}, no: {"a":2})"), Json({{"a", 2}}));
  EXPECT_EQ(found("a list [1,[2,3]] it is"), Json({1, {2, 3}}));
  EXPECT_EQ(found(R"(set {x} then {"a":"}{"} ok)"), Json({{"a", "}{"}}));
  EXPECT_EQ(found("{not json} {\"a\":1}"), Json({{"a", 1}}));
}

TEST(LastJson, AScalarIsNoAnswer) {
  for (const char* text : {"7", "\"text\"", "true", "null", "the answer is 7", "```json\n7\n```"})
    EXPECT_FALSE(last_json(text)) << text;
}

TEST(LastJson, GarbageIsNone) {
  for (const char* text : {"", " ", "```", "``````", "```\n```", "{", "}", "}{", "]", "[}", "{]", "{\"a\":}",
                           "```json\n{\"a\":1", "\xFF\xFE{\x80}", "{'a': 1}"})
    EXPECT_FALSE(last_json(text)) << text;
}

// An agent may write anything; looking at it must not take forever.
TEST(LastJson, LongGarbageIsQuick) {
  EXPECT_FALSE(last_json(std::string(200'000, '{') + "\"}"));
  EXPECT_FALSE(last_json(std::string(200'000, '[')));
  std::string fences;
  for (int i = 0; i < 20'000; ++i) fences += "```\nx\n";
  EXPECT_FALSE(last_json(fences));
}

TEST(FindAnswer, AReportComesBeforeStructuredOutputBeforeText) {
  const Json one = {{"score", 1}};
  const Json two = {{"score", 2}};
  Answer best = answer({.report = one, .structured = two, .text = R"({"score":3})"});
  EXPECT_EQ(best.value, one);
  EXPECT_EQ(best.source, "report");
  best = answer({.report = {}, .structured = two, .text = R"({"score":3})"});
  EXPECT_EQ(best.value, two);
  EXPECT_EQ(best.source, "structured output");
  best = answer({.report = {}, .structured = {}, .text = R"(It is {"score":3}.)"});
  EXPECT_EQ(best.value, Json({{"score", 3}}));
  EXPECT_EQ(best.source, "text");
  EXPECT_TRUE(best.problems.empty());
}

TEST(FindAnswer, WhatDoesNotConformGivesWayToWhatDoes) {
  const Answer best = answer({.report = Json{{"score", "high"}}, .structured = {}, .text = R"({"score":3})"});
  EXPECT_EQ(best.value, Json({{"score", 3}}));
  EXPECT_EQ(best.source, "text");
  EXPECT_TRUE(best.problems.empty());
}

TEST(FindAnswer, ProblemsAreThoseOfTheBestTry) {
  const Answer best = answer({.report = {}, .structured = Json{{"score", "high"}}, .text = R"({"points":3})"});
  EXPECT_FALSE(best.value);
  EXPECT_EQ(best.source, "structured output");
  ASSERT_EQ(best.problems.size(), 1U);
  EXPECT_NE(best.problems[0].find("#/score"), std::string::npos) << best.problems[0];
}

TEST(FindAnswer, NoJsonAtAllIsAProblem) {
  const Answer best = answer({.report = {}, .structured = {}, .text = "I am done."});
  EXPECT_FALSE(best.value);
  EXPECT_TRUE(best.source.empty());
  EXPECT_EQ(best.problems, std::vector<std::string>{"there is no JSON in the answer"});
}

TEST(FindAnswer, ANullIsAnAnswerLikeAnyOther) {
  const Answer best = answer({.report = Json(), .structured = {}, .text = "nothing"});
  EXPECT_FALSE(best.value);
  EXPECT_EQ(best.source, "report");
}

TEST(Instructions, NameTheToolOnlyWhereThereIsOne) {
  EXPECT_NE(schema_instructions(kScoreSchema, {.has_report = true}).find("`report`"), std::string::npos);
  EXPECT_EQ(schema_instructions(kScoreSchema, {}).find("report"), std::string::npos);
  EXPECT_NE(schema_instructions(kScoreSchema, {}).find(R"("required":["score"])"), std::string::npos);
  EXPECT_NE(schema_instructions(kScoreSchema, {.marker = "[PHASE 2 RESULT]"}).find("[PHASE 2 RESULT]"),
            std::string::npos);
  EXPECT_EQ(schema_instructions(kScoreSchema, {.is_form_shown = true}).find("required"), std::string::npos)
      << "the form is said once";
}

TEST(Instructions, ARequestToMendSaysWhatWasWrongAndWhatIsWanted) {
  const std::string text =
      mend_request(answer({.report = {}, .structured = {}, .text = R"({"points":3})"}), kScoreSchema);
  EXPECT_NE(text.find("(text)"), std::string::npos);
  EXPECT_NE(text.find("score"), std::string::npos);
  EXPECT_NE(text.find("JSON only, please"), std::string::npos);
  EXPECT_NE(text.find(R"("additionalProperties":false)"), std::string::npos);
}

}  // namespace
}  // namespace teamster::agent
