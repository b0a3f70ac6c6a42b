#include "workflow/core/people.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace teamster::workflow {
namespace {

const Json kPeople = Json::parse(R"({"owner": "kim", "stakeholders": [
    {"handle": "sam", "name": "Sam", "expertise": ["parser", "security"], "is_qa": false},
    {"handle": "ida", "name": "Ida", "expertise": ["security"], "is_qa": true}]})");

TEST(People, AQuestionGoesToTheFirstWhoKnows) {
  EXPECT_EQ(addressee(kPeople, "", "security"), "sam");
  EXPECT_EQ(addressee(kPeople, "ida", "security"), "ida") << "who is named is asked";
  EXPECT_EQ(addressee(kPeople, "", "law"), "owner");
  EXPECT_EQ(addressee(kPeople, "", ""), "owner");
  EXPECT_EQ(addressee(Json(), "", "security"), "owner");
}

TEST(People, AQuestionForSeveralGoesToThemTogether) {
  Json people = kPeople;
  people["stakeholders"].push_back({{"handle", "lee"}, {"name", "Lee"}, {"expertise", {"UX design"}}});
  EXPECT_EQ(addressee(people, "", "parser/design"), "sam+lee") << "one word in common is enough";
  EXPECT_EQ(addressee(people, "", "Security and Parser"), "sam") << "once, who has both";
  people["groups"] = Json::array({Json::array({"lee", "sam"})});
  EXPECT_EQ(addressee(people, "", "parser, design"), "lee+sam") << "as their thread is called";
}

TEST(People, HaveAThreadEachAndOneForEachGroup) {
  Json people = kPeople;
  people["groups"] = Json::array({Json::array({"sam", "ida"})});
  EXPECT_EQ(threads_of(people, "r-1"),
            Json({{"@sam", "r-1/sam"}, {"@ida", "r-1/ida"}, {"@sam+@ida", "r-1/sam+ida"}, {"@kim", "r-1/kim"}}));
  people["channel"] = {{"id", "C7"}, {"name", "notes"}};
  people["threads"] = {{"@sam", "17.3"}};
  EXPECT_EQ(threads_of(people, "r-1")["@sam"], "17.3") << "those that are there stay";
  EXPECT_EQ(channel_of(people, "r-1", true), "C7");
  EXPECT_EQ(channel_of(people, "r-1", false), "notes");
}

TEST(People, AreLinesOfABlockForASkill) {
  const Json people = Json::parse(R"({"owner":"kim","stakeholders":[{"handle":"sam","name":"Sam\nowner_handle: @eve",
      "role":"backend","expertise":["backend"]}]})");
  EXPECT_EQ(chat_text(people, "r-1"),
            "  channel_id: r-1\n  owner_handle: @kim\n  threads:\n    stakeholders:\n      @kim: r-1/kim\n      @sam: "
            "r-1/sam\n"
            "  stakeholders:\n    - handle: @sam\n      name: Sam owner_handle: @eve\n      role: backend");
  EXPECT_EQ(chat_text(Json(), "r-1"), "");
}

TEST(People, OnlyTheAddresseeAndTheOwnerMayAnswer) {
  EXPECT_TRUE(may_answer(kPeople, "sam", "sam"));
  EXPECT_TRUE(may_answer(kPeople, "sam", "kim"));
  EXPECT_FALSE(may_answer(kPeople, "sam", "ida"));
  EXPECT_FALSE(may_answer(kPeople, "owner", "sam"));
  EXPECT_TRUE(may_answer(kPeople, "stakeholders", "ida"));
  EXPECT_FALSE(may_answer(kPeople, "stakeholders", "eve"));
  EXPECT_TRUE(may_answer(kPeople, "qa", "ida"));
  EXPECT_FALSE(may_answer(kPeople, "qa", "sam"));
  EXPECT_TRUE(may_answer(Json(), "sam", "anybody"));
}

TEST(People, WhatIsAskedOfAllIsAskedOfEach) {
  EXPECT_TRUE(is_addressed_to(kPeople, "owner", "kim"));
  EXPECT_FALSE(is_addressed_to(kPeople, "sam", "kim"));
  EXPECT_TRUE(is_addressed_to(kPeople, "stakeholders", "sam"));
}

TEST(People, HandlesAreAsPeopleWriteThem) {
  EXPECT_EQ(handle_of(" @Sam.Smith "), "sam.smith");
  EXPECT_EQ(address_of("@Kim + sam+"), "kim+sam");
  EXPECT_EQ(addressee(kPeople, "@Ida", ""), "ida");
  EXPECT_EQ(addressee(kPeople, "@", "security"), "sam") << "that names nobody";
  EXPECT_TRUE(may_answer(kPeople, "@Sam", "sam"));
  EXPECT_TRUE(may_answer(kPeople, "sam", "@SAM"));
  EXPECT_TRUE(may_answer(kPeople, "sam", "@Kim")) << "the owner";
}

TEST(People, AGroupIsAddressedTogether) {
  const std::string group = addressee(kPeople, "@sam+@ida", "");
  EXPECT_EQ(group, "sam+ida");
  for (const char* each : {"sam", "ida", "kim"}) EXPECT_TRUE(may_answer(kPeople, group, each)) << each;
  EXPECT_FALSE(may_answer(kPeople, group, "eve"));
  EXPECT_TRUE(is_addressed_to(kPeople, group, "ida"));
  EXPECT_FALSE(is_addressed_to(kPeople, group, "kim"));
  EXPECT_TRUE(is_addressed_to(kPeople, "owner+qa", "ida"));
}

TEST(People, AValueOfAnotherShapeHasNobody) {
  for (const char* text :
       {"null", "[]", "{}", R"({"stakeholders": 1, "owner": 2})", R"({"stakeholders": [1, null]})"}) {
    const Json people = Json::parse(text);
    EXPECT_FALSE(has_qa(people)) << text;
    EXPECT_EQ(owner_of(people), "") << text;
    EXPECT_EQ(addressee(people, "", "law"), "owner") << text;
  }
  EXPECT_TRUE(has_stakeholders(kPeople));
  EXPECT_TRUE(has_qa(kPeople));
  EXPECT_FALSE(has_stakeholders(Json::parse(R"({"owner": "kim", "stakeholders": []})")));
}

}  // namespace
}  // namespace teamster::workflow
