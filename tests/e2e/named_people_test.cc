// People whom a phase asks for: refused with what is wrong, recorded, and asked from then on; and the owner, who is asked
// as well at a deadline. Answered from other processes.
#include "e2e/own_workflow.h"

namespace teamster::e2e {
namespace {

constexpr const char* kPreflight = R"(
name: preflight
state: { file: state.json, fields: { owner: '{{run/owner}}', people: '{{run/stakeholders}}', groups: '{{run/groups}}' } }
phases:
  - { id: who, kind: ask, only: { run/has_stakeholders: false }, sets: people, question: { text: 'Who?' } }
  - { id: safe, kind: ask, question: { text: 'Safe?', expertise: security } }
  - { id: both, kind: ask, question: { text: 'Both?', to: '@sam+@ida' } }
  - id: test
    kind: gate
    only: { run/has_qa: true }
    question: { text: 'Works?', to: qa }
    on: [ { when: { approved: false }, block: 'no' } ]
)";

class NamedPeople : public OwnWorkflow {
 protected:
  Json question_at(const std::string& id) {
    Json found;
    EXPECT_TRUE(eventually([&] {
      found = question();
      return found["question"] == id;
    })) << found;
    return found;
  }
};

TEST_F(NamedPeople, AreAskedForCheckedAndRecorded) {
  workflow("preflight", kPreflight, {});
  Process engine(start_of({"run", "preflight"}));
  question_at("who.1");
  const Outcome refused = home_.fails(2, {"answer", "who", "sam smith, Sam"});
  EXPECT_NE(refused.what().find("'sam smith' is no handle"), std::string::npos) << refused;
  home_.ok({"answer", "who", "sam, Sam, parser", "--as", "kim"});
  const Json again = question_at("who.2");
  EXPECT_NE(again["text"].get<std::string>().find("nobody has the expertise 'security'"), std::string::npos) << again;
  home_.ok({"answer", "who", "sam, Sam, security; ida, Ida, testing, qa; @sam+@ida", "--as", "kim"});
  EXPECT_EQ(question_at("safe.1")["to"], "sam");
  home_.fails(3, {"answer", "safe", "yes", "--as", "ida"});
  home_.ok({"answer", "safe", "yes", "--as", "sam"});
  EXPECT_EQ(question_at("both.1")["to"], "sam+ida");
  home_.ok({"answer", "both", "yes", "--as", "ida"});
  EXPECT_EQ(question_at("test.1")["to"], "qa");
  home_.fails(3, {"approve", "test", "--as", "sam"});
  home_.ok({"approve", "test", "--as", "kim"});
  EXPECT_EQ(engine.wait(), 0) << engine.out() << engine.err();
  const Json state = Json::parse(project_text("state.json"));
  EXPECT_EQ(state["owner"], "kim") << "whoever answered";
  EXPECT_EQ(state["people"][1]["is_qa"], true);
  EXPECT_EQ(state["groups"], Json::parse(R"([["ida", "sam"]])"));
  EXPECT_EQ(home_.ok({"replay", last_run()})["differences"], Json::array());
}

constexpr const char* kLate = R"(
name: late
phases:
  - { id: safe, kind: ask, question: { text: 'Safe?', to: sam, deadline: 300ms } }
)";

TEST_F(NamedPeople, ALateAnswerCountsUntilAnotherCame) {
  workflow("late", kLate, {});
  project_file("people.yaml", "owner: kim\nstakeholders: [ { handle: sam, name: Sam } ]\n");
  for (const char* who : {"sam", "kim"}) {
    Process engine(start_of({"run", "late", "--stakeholders", "people.yaml"}));
    EXPECT_TRUE(eventually([&] { return question()["also"] == "owner"; }));
    const Json asked = question();
    EXPECT_EQ(asked["to"], "sam") << "the owner is asked as well, not instead";
    home_.ok({"answer", "safe", "yes", "--as", who});
    EXPECT_EQ(engine.wait(), 0) << engine.out() << engine.err();
    EXPECT_EQ(home_.ok({"replay", last_run()})["state"]["answers"]["safe"]["value"]["by"], who);
  }
}

}  // namespace
}  // namespace teamster::e2e
