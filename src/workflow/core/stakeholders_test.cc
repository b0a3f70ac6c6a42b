#include "workflow/core/stakeholders.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace teamster::workflow {
namespace {

constexpr const char* kFile = R"(owner: { handle: kim, name: Kim }
stakeholders:
  - { handle: sam, name: 'Sam S.', expertise: [parser, security], contact: sam@example.org }
  - { name: ida, role: testing, is_qa: true }
groups: [[sam, ida]]
)";

Workflow asking_for(const std::string& expertise) {
  Workflow workflow;
  workflow.name = "choice";
  Phase phase;
  phase.id = "which";
  phase.question.emplace();
  phase.question->expertise = expertise;
  workflow.phases.push_back(phase);
  return workflow;
}

std::string problem(const std::string& text, const std::string& expertise = "") {
  const auto read = read_stakeholders("people.yaml", text, asking_for(expertise));
  return read ? "none" : read.error().what;
}

TEST(Stakeholders, AreReadWithWhatTheyKnow) {
  const auto people = read_stakeholders("people.yaml", kFile, asking_for("security"));
  ASSERT_TRUE(people) << people.error().text();
  EXPECT_EQ((*people)["owner"], "kim");
  EXPECT_EQ((*people)["stakeholders"][0]["expertise"], Json::parse(R"(["parser", "security"])"));
  EXPECT_EQ((*people)["stakeholders"][0]["contact"], "sam@example.org");
  EXPECT_EQ((*people)["stakeholders"][1]["handle"], "ida");
  EXPECT_EQ((*people)["stakeholders"][1]["expertise"], Json::parse(R"(["testing"])"));
  EXPECT_EQ((*people)["stakeholders"][1]["is_qa"], true);
  EXPECT_EQ((*people)["groups"], Json::parse(R"([["sam", "ida"]])"));
}

TEST(Stakeholders, MayBeAListAlone) {
  const auto people = read_stakeholders("people.yaml", "- { name: sam, expertise: [law] }\n", asking_for("law"));
  ASSERT_TRUE(people) << people.error().text();
  EXPECT_EQ((*people)["owner"], "");
  EXPECT_EQ((*people)["stakeholders"].size(), 1U);
}

TEST(Stakeholders, MistakesHaveTheirPlace) {
  EXPECT_EQ(problem(kFile), "none");
  EXPECT_EQ(problem("owner: kim\n"), "people.yaml:1:1: the file of stakeholders needs `stakeholders`");
  EXPECT_EQ(problem("- { name: sam }\n- { handle: sam }\n"),
            "people.yaml:2:3: sam is there twice, first in line 1: everybody needs a handle of their own");
  EXPECT_EQ(problem("- { name: Sam S. }\n"),
            "people.yaml:1:11: 'Sam S.' is no handle of a person: use 1 to 64 letters, digits, '.', '_' and '-', "
            "starting with a letter or digit; an @ may stand before it");
  EXPECT_EQ(problem("- { name: owner }\n"),
            "people.yaml:1:11: owner stands for others in questions: give a person another handle");
  EXPECT_NE(problem("- { name: sam, expertise: law }\n").find("people.yaml:1:27: "), std::string::npos);
  EXPECT_NE(problem("- { name: sam, knows: [law] }\n").find("people.yaml:1:16: a stakeholder has no key"),
            std::string::npos);
  EXPECT_NE(problem("- sam\n").find("people.yaml:1:3: "), std::string::npos);
  EXPECT_NE(problem("stakeholders: { a: b }\n").find("people.yaml:1:15: stakeholders must be a list"),
            std::string::npos);
  EXPECT_EQ(problem("stakeholders: [{ name: sam }]\ngroups: [[sam, eve]]\n"),
            "people.yaml:2:16: 'eve' is no stakeholder");
  EXPECT_NE(problem("stakeholders: [\n").find("people.yaml:"), std::string::npos);
  EXPECT_NE(problem("").find("people.yaml:"), std::string::npos);
  EXPECT_NE(problem("- &a { name: sam }\n- *a\n").find("people.yaml:"), std::string::npos);
  EXPECT_NE(problem(std::string(2'000'000, '-')).find("people.yaml:"), std::string::npos);
}

TEST(Stakeholders, HandlesAreAsPeopleWriteThem) {
  const auto people = read_stakeholders("people.yaml",
                                        "owner: '@Kim'\n"
                                        "stakeholders: [{ handle: '@Sam.Smith' }, { handle: IDA }]\n"
                                        "groups: [['@sam.smith', ida]]\n",
                                        asking_for(""));
  ASSERT_TRUE(people) << people.error().text();
  EXPECT_EQ((*people)["owner"], "kim");
  EXPECT_EQ((*people)["stakeholders"][0]["handle"], "sam.smith");
  EXPECT_EQ((*people)["stakeholders"][0]["name"], "@Sam.Smith");
  EXPECT_EQ((*people)["groups"], Json::parse(R"([["sam.smith", "ida"]])"));
  EXPECT_NE(problem("- { handle: '@sam' }\n- { handle: Sam }\n").find("sam is there twice"), std::string::npos);
  EXPECT_NE(problem("- { handle: '@Owner' }\n").find("stands for others"), std::string::npos);
}

TEST(Stakeholders, ThoseWhoAreNamedTogetherAreAGroup) {
  workflow::Workflow workflow = asking_for("");
  workflow.phases[0].question->to = "@ida+@Sam";
  EXPECT_TRUE(read_stakeholders("people.yaml", kFile, workflow));
  workflow.phases[0].question->to = "@sam+@kim";
  const auto strangers = read_stakeholders("people.yaml", kFile, workflow);
  ASSERT_FALSE(strangers);
  EXPECT_EQ(strangers.error().what,
            "people.yaml:5:9: phase which of choice is for sam+kim together, who are no group: add [kim, sam] to "
            "`groups`");
  workflow.phases[0].question->to = "owner+qa";
  EXPECT_TRUE(read_stakeholders("people.yaml", kFile, workflow)) << "they are whoever the file says";
}

TEST(Stakeholders, AnExpertiseThatNobodyHasIsAMistake) {
  EXPECT_EQ(problem(kFile, "law"),
            "people.yaml:3:3: nobody has the expertise 'law', for which phase which of choice asks: give it to "
            "somebody");
}

TEST(PeopleInAnAnswer, AreLinesAsOneWritesThem) {
  const auto people = read_people(
      "@Sam.Smith, Sam S., parser/security\n- ida, Ida, testing, qa\n\nkim, Kim, owner\n@ida+@sam.smith\n",
      asking_for("security"));
  ASSERT_TRUE(people) << people.error().text();
  EXPECT_EQ(*people, Json::parse(R"({"owner": "kim", "owner_name": "Kim", "groups": [["ida", "sam.smith"]],
      "stakeholders": [
        {"handle": "sam.smith", "name": "Sam S.", "expertise": ["parser", "security"], "is_qa": false},
        {"handle": "ida", "name": "Ida", "expertise": ["testing"], "is_qa": true}]})"));
}

TEST(PeopleInAnAnswer, FitIntoOneLineToo) {
  const auto people = read_people("sam, Sam, security; ida, qa", asking_for("security"));
  ASSERT_TRUE(people) << people.error().text();
  EXPECT_EQ((*people)["stakeholders"][1],
            Json::parse(R"({"handle": "ida", "name": "ida", "expertise": [], "is_qa": true})"));
  EXPECT_EQ((*people)["owner"], "");
}

TEST(PeopleInAnAnswer, MayBeTheFile) {
  const auto people = read_people(kFile, asking_for("security"));
  ASSERT_TRUE(people) << people.error().text();
  EXPECT_EQ(*people, *read_stakeholders("people.yaml", kFile, asking_for("security")));
  EXPECT_EQ(read_people("stakeholders: 7", asking_for("")).error().what.find("the answer:1:15: "), 0U);
  EXPECT_TRUE(read_people(R"([{"handle": "sam", "name": "Sam"}])", asking_for("")));
}

TEST(PeopleInAnAnswer, MayBeNobody) {
  const auto people = read_people(" None ", asking_for(""));
  ASSERT_TRUE(people) << people.error().text();
  EXPECT_EQ((*people)["stakeholders"], Json::array());
}

TEST(PeopleInAnAnswer, AreRefusedWithAllThatIsWrong) {
  const auto wrong = [](const std::string& text, const std::string& expertise = "") {
    const auto read = read_people(text, asking_for(expertise));
    return read ? "none" : read.error().what;
  };
  EXPECT_EQ(wrong("sam, Sam\nsam, Sam again\n"), "sam is there twice: everybody needs a handle of their own");
  EXPECT_EQ(wrong("owner, Kim, all").find("owner stands for others"), 0U);
  EXPECT_EQ(wrong("sam smith, Sam").find("'sam smith' is no handle of a person"), 0U);
  EXPECT_EQ(wrong(" \n"), "nobody is named: write a line for each, or none");
  EXPECT_EQ(wrong("sam, Sam\n@sam+@eve"), "eve of the group '@sam+@eve' is no stakeholder");
  EXPECT_EQ(wrong("sam, Sam, parser", "security").find("nobody has the expertise 'security'"), 0U);
  const std::string both = wrong("?, Sam\n!, Ida");
  EXPECT_NE(both.find("'?'"), std::string::npos);
  EXPECT_NE(both.find("'!'"), std::string::npos) << "all at once";
}

}  // namespace
}  // namespace teamster::workflow
