#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "workflow/core/told.h"

namespace teamster::workflow {
namespace {

TEST(ToldTest, IsReadAsItWasWritten) {
  for (const char* text : {
           R"({"what":"cancel","body":{"by":"kim","how":"terminal"}})",
           R"({"what":"answer","body":{"question":"which.1","by":"kim","how":"terminal","answer":"left"}})",
           R"({"what":"answer","body":{"question":"approve.1","by":"kim","approved":true,"note":"well done"}})",
           R"({"what":"answer","body":{"question":"approve.1","by":"kim","approved":false,"feedback":"too long"}})",
           R"({"what":"decide","body":{"step":"tell.1","decision":"skip","by":"operator"}})",
           R"({"what":"decide","body":{"step":"tell.1","decision":"skip","by":"operator","newer":1}})",
           R"({"what":"adjust","body":{"by":"kim","configuration":{"ladder.patience":"1h"},"budget":{"usd":5.0}}})",
           R"({"what":"invented","body":{"a":1}})",
       }) {
    const Json record = Json::parse(text);
    const ToldBody told = read_told(record);
    EXPECT_EQ(kind_of(told), record["what"].get<std::string>());
    EXPECT_EQ(fields_of(told), record["body"]);
  }
}

TEST(ToldTest, WhatHasAnotherShapeIsAsAbsent) {
  for (const char* text : {"[]", R"({"what":3})", R"({"body":[]})"})
    EXPECT_EQ(kind_of(read_told(Json::parse(text))), "") << text;
  const auto answer = std::get<told::Reply>(read_told(Json::parse(R"({"what":"answer","body":{"approved":"yes"}})")));
  EXPECT_FALSE(answer.approved) << "what nobody approved is not approved";
}

}  // namespace
}  // namespace teamster::workflow
