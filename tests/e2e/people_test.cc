// A real run that asks a person, answered from other processes: inbox, approve, reject, answer, and
// what status, watch, report and replay say meanwhile. Its workflow has no agents.
#include <csignal>
#include <filesystem>

#include "e2e/fixture.h"

namespace teamster::e2e {
namespace {

constexpr const char* kChoiceWorkflow = R"(
name: choice
about: Something to approve and to choose.
loops:
  rounds: { max: 3, then: block }
phases:
  - id: approve
    kind: gate
    question: { text: 'Shall it go on?', to: kim }
    on:
      - { when: { approved: false }, goto: approve, loop: rounds }
  - id: which
    kind: ask
    question: { text: 'Which way?', options: [left, right] }
)";

class People : public testing::Test {
 protected:
  People() {
    std::filesystem::create_directories(home_.scratch() + "/choice");
    write_file(home_.scratch() + "/choice/workflow.yaml", kChoiceWorkflow);
  }

  Process run_workflow() { return home_.start({"run", home_.scratch() + "/choice"}); }
  // The only question there is, once it is there.
  Json question() {
    Json found;
    EXPECT_TRUE(eventually([&] {
      const Outcome inbox = home_.run({"inbox", "--json"});
      if (inbox.exit != 0) return false;
      found = inbox.json["questions"][0];
      return true;
    }));
    return found;
  }
  Json run_status(int exit, const std::string& run) {
    const Outcome status = home_.run({"status", run, "--json"});
    EXPECT_EQ(status.exit, exit) << status;
    return status.json;
  }

  Home home_;
};

TEST_F(People, ARunGoesOnWithWhatPeopleSay) {
  Process engine = run_workflow();
  const Json gate = question();
  const std::string run = gate["run"];
  EXPECT_EQ(gate["to"], "kim");
  EXPECT_EQ(run_status(4, run)["status"], "waiting");
  Process watching = home_.start({"watch", run});

  EXPECT_EQ(home_.fails(2, {"answer", "approve", "yes"}).code(), "invalid") << "a gate is approved";
  EXPECT_EQ(home_.ok({"reject", "approve.1", "not yet"})["recorded"], true);
  EXPECT_EQ(home_.fails(3, {"approve", "approve.1"}).code(), "refused") << "the first answer counts";
  EXPECT_EQ(home_.ok({"approve", "approve.2", "--as", "mia"})["recorded"], true);
  EXPECT_EQ(home_.fails(2, {"answer", "which", "up"}).code(), "invalid");
  EXPECT_EQ(home_.ok({"answer", "which", "2"})["recorded"], true);

  EXPECT_EQ(engine.wait(), 0) << engine.out() << engine.err();
  EXPECT_EQ(watching.wait(), 0) << watching.err();
  EXPECT_NE(watching.out().find("which.1 done"), std::string::npos) << watching.out();
  EXPECT_EQ(run_status(0, run)["status"], "done");
  EXPECT_EQ(home_.ok({"report", run})["status"], "done");
  const Json replay = home_.ok({"replay", run});
  EXPECT_EQ(replay["differences"], Json::array());
  EXPECT_EQ(replay["state"]["answers"]["which"]["value"], Json::parse(R"({"answer":"right","by":"operator"})"))
      << "who answered is in the journal";
  EXPECT_EQ(replay["state"]["answers"]["approve"]["value"]["by"], "mia");
  EXPECT_EQ(home_.fails(1, {"inbox"}).json, Json::parse(R"({"questions":[]})"));
}

TEST_F(People, AnAnswerIsKeptWhileNobodyDrivesTheRun) {
  Process engine = run_workflow();
  const std::string run = question()["run"];
  engine.kill(SIGKILL);
  ASSERT_TRUE(engine.wait());
  EXPECT_EQ(run_status(4, run)["status"], "interrupted");
  EXPECT_EQ(home_.ok({"approve", "approve"})["recorded"], false);
  EXPECT_EQ(home_.fails(3, {"reject", "approve", "no"}).code(), "refused");
  EXPECT_EQ(home_.run({"resume", run, "--no-wait"}).exit, 4) << "it heard the approval and asks the next";
  EXPECT_EQ(question()["question"], "which.1");
}

TEST_F(People, CancelEndsARunWithAndWithoutItsEngine) {
  Process engine = run_workflow();
  const std::string run = question()["run"];
  EXPECT_EQ(home_.ok({"cancel", run})["status"], "cancelled");
  EXPECT_EQ(engine.wait(), 1);

  Process killed = run_workflow();
  const std::string other = question()["run"];
  killed.kill(SIGKILL);
  ASSERT_TRUE(killed.wait());
  EXPECT_EQ(home_.ok({"cancel", other})["status"], "cancelled");
  EXPECT_EQ(run_status(1, other)["reason"], "cancelled by operator");
  EXPECT_EQ(home_.fails(3, {"cancel", other}).code(), "refused");
  EXPECT_EQ(home_.ok({"team", "list"})["teams"], Json::array()) << "its team is gone, too";
}

constexpr const char* kExpert = R"(
name: expert
about: A question for who knows, and one for all.
phases:
  - id: safe
    kind: ask
    question: { text: 'Is it safe?', expertise: security }
  - id: review
    kind: gate
    only: { run/has_stakeholders: true }
    question: { text: 'Good, {{run/owner}}?', to: stakeholders }
    on: [ { when: { approved: false }, block: 'no' } ]
)";

TEST_F(People, AQuestionGoesToWhoKnowsAndTheOwnerMayAnswerForAnyone) {
  const std::string place = home_.scratch() + "/expert";
  std::filesystem::create_directories(place);
  write_file(place + "/workflow.yaml", kExpert);
  const std::string file = home_.scratch() + "/people.yaml";
  write_file(file, "stakeholders:\n  - { name: sam, expertise: [parser] }\n");
  const Outcome unknown = home_.run({"run", place, "--stakeholders", file, "--json"});
  EXPECT_EQ(unknown.exit, 2) << unknown;
  EXPECT_EQ(unknown.what().find(file + ":2:3: nobody has the expertise 'security'"), 0U) << unknown;
  EXPECT_EQ(home_.run({"run", place, "--stakeholders", file + "-missing", "--json"}).exit, 1);

  write_file(file, R"(
owner: { handle: kim, name: Kim }
stakeholders:
  - { handle: sam, name: Sam, expertise: [parser] }
  - { handle: ida, name: Ida, expertise: [security, law] }
)");
  Process engine = home_.start({"run", place, "--stakeholders", file, "--chat", "terminal"});
  const Json asked = question();
  EXPECT_EQ(asked["to"], "ida") << asked;
  EXPECT_EQ(home_.run({"inbox", "--to", "ida", "--json"}).exit, 0);
  EXPECT_EQ(home_.run({"inbox", "--to", "sam", "--json"}).exit, 1);
  const Outcome other = home_.fails(3, {"answer", "safe", "yes", "--as", "sam"});
  EXPECT_NE(other.next().find("kim, the owner"), std::string::npos) << other;
  EXPECT_EQ(home_.ok({"answer", "safe", "yes", "--as", "kim"})["recorded"], true);

  ASSERT_TRUE(eventually([&] { return question()["question"] == "review.1"; }));
  EXPECT_EQ(question()["text"], "Good, kim?");
  EXPECT_EQ(home_.run({"inbox", "--to", "sam", "--json"}).exit, 0);
  EXPECT_EQ(home_.fails(3, {"approve", "review", "--as", "eve"}).code(), "refused");
  EXPECT_EQ(home_.ok({"approve", "review", "--as", "sam"})["recorded"], true);
  EXPECT_EQ(engine.wait(), 0) << engine.err();
}

TEST_F(People, WaysToAskThatAreToComeSaySo) {
  for (const char* chat : {"web", "slack"}) {
    const Outcome refused = home_.fails(2, {"run", home_.scratch() + "/choice", "--chat", chat});
    EXPECT_NE(refused.what().find("comes with a later version"), std::string::npos) << refused;
  }
  EXPECT_EQ(home_.fails(2, {"run", home_.scratch() + "/choice", "--chat", "pigeon"}).code(), "invalid");
}

}  // namespace
}  // namespace teamster::e2e
