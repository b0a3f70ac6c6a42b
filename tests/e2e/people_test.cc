// A real run that asks a person, answered from other processes: inbox, approve, reject, answer, and
// what status, watch, report and replay say meanwhile. Its workflow has no agents.
#include <csignal>
#include <filesystem>

#include "e2e/fixture.h"

namespace teamster::e2e {
namespace {

constexpr const char* kWorkflow = R"(
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
    write_file(home_.scratch() + "/choice/workflow.yaml", kWorkflow);
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

}  // namespace
}  // namespace teamster::e2e
