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
