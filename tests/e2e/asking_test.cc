// Questions of agents: what a scripted agent asks is a question of its run, and the answer finds it, in its turn or
// after it, whatever is killed meanwhile.
#include <csignal>

#include "e2e/own_workflow.h"

namespace teamster::e2e {
namespace {

constexpr const char* kAskingWorkflow = R"(
name: asking
about: Somebody asks.
roles:
  worker: { about: asks, tools: [Bash] }
phases:
  - id: work
    role: worker
    template: work.md
    returns: done.json
)";

class Asking : public OwnWorkflow {
 protected:
  Asking() {
    workflow("asking", kAskingWorkflow,
             {{"work.md", "Do it.\n"},
              {"done.json", R"({"type":"object","required":["heard"],"properties":{"heard":{"type":"string"}}})"}});
  }
};

TEST_F(Asking, AnAgentThatEndsItsTurnGoesOnWithTheAnswer) {
  script("worker", R"({"turns": [
    {"steps": [{"ask": {"question": "Left or right?", "options": ["left", "right"]}}, {"say": "I wait."}]},
    {"when": {"contains": "left"}, "steps": [{"say": "```json\n{\"heard\": \"left\"}\n```"}]}]})");
  Process engine(start_of(run_words("asking")));
  const Json asked = question();
  EXPECT_EQ(asked["step"], "work/ask-1") << asked;
  EXPECT_EQ(asked["text"], "Left or right?");
  const std::string run = asked["run"];
  ASSERT_TRUE(eventually([&] { return decided(run, "pause").size() == 1; }));
  engine.kill(SIGKILL);
  engine.wait();
  EXPECT_EQ(home_.run({"answer", asked["id"].get<std::string>(), "left", "--json"}).exit, 0);
  ASSERT_EQ(teamster({"resume", run}), 0) << said_;
  EXPECT_EQ(turns(run), (std::vector<std::string>{"work", "work answered"}));
  EXPECT_EQ(decided(run, "ask").size(), 1U) << "asked once";
  EXPECT_EQ(decided(run, "reply").size(), 0U) << "and answered once";
}

TEST_F(Asking, AnAgentThatWaitsGetsTheAnswerAsAMessage) {
  script("worker", R"({"turns": [
    {"steps": [{"ask": {"question": "How many?"}}, {"wait_message": {"timeout": "20s"}},
      {"say": "```json\n{\"heard\": \"yes\"}\n```"}]}]})");
  Process engine(start_of(run_words("asking")));
  const Json asked = question();
  EXPECT_EQ(home_.ok({"answer", asked["id"].get<std::string>(), "seven of them"})["recorded"], true);
  ASSERT_EQ(engine.wait(), 0) << engine.out() << engine.err();
  const std::string run = asked["run"];
  EXPECT_EQ(turns(run), (std::vector<std::string>{"work"}));
  ASSERT_EQ(decided(run, "reply").size(), 1U);
  EXPECT_EQ(decided(run, "reply")[0]["text"], "seven of them");
}

}  // namespace
}  // namespace teamster::e2e
