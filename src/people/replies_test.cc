#include "people/replies.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace teamster::people {
namespace {

TEST(RepliesTest, OnlyTheExactKeywordApproves) {
  const Posting gate{"r/plan.1", "kim", "Is it right?", {}, true};
  for (const char* yes : {"approve", "Approved", " APPROVE \n"})
    EXPECT_EQ(read_reply(gate, yes)->approved, true) << yes;
  for (const char* no : {"approved? not sure", "yes", "ok", "I approve", "approve.", "\u200bapprove", "approve it"}) {
    const auto reply = read_reply(gate, no);
    ASSERT_TRUE(reply) << no;
    EXPECT_EQ(reply->approved, false) << no;
    EXPECT_EQ(reply->feedback, no) << "other text is feedback";
  }
}

TEST(RepliesTest, AnOptionIsChosenByItsWordsOrItsNumber) {
  const Posting question{"r/which.1", "kim", "Which way?", {"left", "right"}, false};
  EXPECT_EQ(read_reply(question, "left")->answer, "left");
  EXPECT_EQ(read_reply(question, " 2 ")->answer, "right");
  for (const char* none : {"3", "0", "middle", "Left"}) {
    const auto reply = read_reply(question, none);
    ASSERT_FALSE(reply) << none;
    EXPECT_EQ(reply.error().code, Code::invalid);
    EXPECT_NE(reply.error().next.find("left, right"), std::string::npos);
  }
}

TEST(RepliesTest, WhatTakesWordsTakesOthersThanItsOptionsButNoSlipOfOne) {
  Posting question{"r/build/stuck.1", "", "build cannot go on", {"again", "abort"}, false};
  question.takes_words = true;
  EXPECT_EQ(read_reply(question, "1")->answer, "again");
  EXPECT_EQ(read_reply(question, "use the other parser")->answer, "use the other parser");
  EXPECT_EQ(read_reply(question, "make")->answer, "make");
  for (const char* none : {"agian", "abrt", " "}) EXPECT_FALSE(read_reply(question, none)) << none;
}

TEST(RepliesTest, WithoutOptionsAnyTextButNoneIsAnAnswer) {
  const Posting question{"r/scope.1", "kim", "What is in scope?", {}, false};
  EXPECT_EQ(read_reply(question, "only the parser\n")->answer, "only the parser\n");
  EXPECT_FALSE(read_reply(question, " \n"));
}

}  // namespace
}  // namespace teamster::people
