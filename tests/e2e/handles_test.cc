// People as they are written: handles with an @ and letters of either case, groups, and whom a notice is for.
#include "e2e/own_workflow.h"

namespace teamster::e2e {
namespace {

constexpr const char* kTogether = R"(
name: together
phases:
  - { id: which, kind: ask, question: { to: '@Sam.Smith+@ida', text: 'Which?' } }
  - { id: tell, kind: notify, to: '@{{run/owner}}', text: '{{which/by}} said {{which/answer}}' }
)";

using Handles = OwnWorkflow;

TEST_F(Handles, AGroupIsAskedAndAnyOfItMayAnswer) {
  workflow("together", kTogether, {});
  project_file("people.yaml",
               "owner: '@Kim'\nstakeholders: [{ handle: '@sam.smith' }, { handle: Ida }, { handle: eve }]\n"
               "groups: [['@ida', Sam.Smith]]\n");
  Words words = run_words("together");
  words.insert(words.end(), {"--stakeholders", "people.yaml"});
  Process engine(start_of(words));
  const Json asked = question();
  const std::string run = asked["run"];
  EXPECT_EQ(asked["to"], "sam.smith+ida") << asked;
  EXPECT_EQ(home_.ok({"inbox", "--to", "@IDA"})["questions"].size(), 1U);
  EXPECT_EQ(home_.fails(1, {"inbox", "--to", "eve"}).json["questions"].size(), 0U);
  EXPECT_EQ(home_.fails(3, {"answer", "which", "left", "--as", "@eve"}).code(), "refused");
  EXPECT_EQ(home_.ok({"answer", "which", "left", "--as", "@Ida"})["recorded"], true);
  EXPECT_EQ(engine.wait(), 0) << engine.err();
  EXPECT_NE(engine.out().find("to kim: ida said left"), std::string::npos) << engine.out();
  EXPECT_EQ(decided(run, "notify").at(0)["to"], "kim");
}

TEST_F(Handles, ThoseWhoAreNamedTogetherMustBeAGroup) {
  workflow("together", kTogether, {});
  project_file("people.yaml", "owner: kim\nstakeholders: [{ handle: sam.smith }, { handle: ida }]\n");
  Words words = run_words("together");
  words.insert(words.end(), {"--stakeholders", "people.yaml"});
  EXPECT_EQ(teamster(words), 2) << said_;
  EXPECT_NE(said_.find("add [ida, sam.smith] to `groups`"), std::string::npos) << said_;
}

}  // namespace
}  // namespace teamster::e2e
