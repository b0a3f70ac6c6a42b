// Runs that stand go on: blocked ones are reopened, from where they stood or from an earlier phase, and what is settled
// stays.
#include <csignal>

#include "e2e/own_workflow.h"

namespace teamster::e2e {
namespace {

constexpr const char* kStepsWorkflow = R"(
name: steps
about: Three steps, the last of which may fail.
loops: { tries: { max: 1, then: block } }
roles:
  worker: { about: works, tools: [Bash, Write] }
phases:
  - { id: one, role: worker, template: one.md, returns: done.json }
  - { id: two, role: worker, template: two.md, returns: done.json }
  - id: prove
    kind: check
    command: 'test -f good'
    on: [ { when: { passed: false }, goto: two, loop: tries } ]
)";

class Reopen : public OwnWorkflow {
 protected:
  Reopen() {
    workflow("steps", kStepsWorkflow,
             {{"one.md", "Do one.\n"},
              {"two.md", "Do two.\n"},
              {"done.json", R"({"type":"object","required":["ok"],"properties":{"ok":{"type":"boolean"}}})"}});
    script("worker",
           R"({"turns": [], "otherwise": [{"run": "echo x >> log"}, {"say": "```json\n{\"ok\": true}\n```"}]})");
  }
};

TEST_F(Reopen, ABlockedRunGoesOnWhereItStood) {
  ASSERT_EQ(teamster(run_words("steps")), 1) << said_;
  const std::string run = last_run();
  EXPECT_EQ(turns(run), (std::vector<std::string>{"one", "two", "two"}));
  project_file("good", "");
  ASSERT_EQ(teamster({"resume", run}), 0) << said_;
  EXPECT_EQ(turns(run), (std::vector<std::string>{"one", "two", "two"})) << "what is settled stays";
  EXPECT_EQ(home_.ok({"status", run})["status"], "done");
  EXPECT_EQ(home_.ok({"replay", run})["differences"], Json::array());
  EXPECT_EQ(home_.fails(3, {"resume", run}).code(), "refused") << "it is done";
}

TEST_F(Reopen, FromAnEarlierPhaseEverythingBehindItIsDoneAgain) {
  ASSERT_EQ(teamster(run_words("steps")), 1) << said_;
  const std::string run = last_run();
  EXPECT_EQ(home_.fails(2, {"resume", run, "--from", "nowhere"}).code(), "invalid");
  project_file("good", "");
  ASSERT_EQ(teamster({"resume", run, "--from", "two"}), 0) << said_;
  EXPECT_EQ(turns(run), (std::vector<std::string>{"one", "two", "two", "two"}));
  EXPECT_EQ(project_text("log"), "x\nx\nx\nx\n");
}

}  // namespace
}  // namespace teamster::e2e
