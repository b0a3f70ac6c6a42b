// Runs that are cut short by signals, kills and reboots, and what goes on afterwards: real processes.
#include <filesystem>
#include <map>

#include "e2e/fixture.h"

namespace teamster::e2e {
namespace {

constexpr const char* kAsks = R"(
name: asks
about: Asks.
args: { what: { about: about what } }
phases:
  - id: approve
    kind: gate
    question: { text: 'Shall it go on?', to: kim }
    on: [ { when: { approved: false }, block: 'no' } ]
)";

// What it does cannot be found out afterwards.
constexpr const char* kAnnounces = R"(
name: announces
about: Tells the world.
phases:
  - id: nn
    kind: notify
    command: 'echo once >>announced; while [ -e hold ]; do sleep 0.02; done'
)";

class Interrupted : public testing::Test {
 protected:
  Interrupted() {
    for (const auto& [name, text] : std::map<std::string, std::string>{{"asks", kAsks}, {"announces", kAnnounces}}) {
      const std::string directory = project_ + "/.teamster/workflows/" + name;
      std::filesystem::create_directories(directory);
      write_file(directory + "/workflow.yaml", text);
    }
  }
  Process teamster(const Words& words) const {
    Start start;
    start.command = {"/usr/bin/env", "-C", project_, TEAMSTER_BINARY};
    start.command.insert(start.command.end(), words.begin(), words.end());
    start.environment = {"TEAMSTER_HOME=" + home_.path(), "HOME=" + home_.scratch(), "PATH=/usr/bin:/bin", "USER=kim"};
    return Process(start);
  }
  Outcome run(const Words& words) const {
    Process process = teamster(words);
    return outcome_of(process);
  }
  // There may be none yet.
  Json runs() const { return Json::parse(home_.run({"status", "--all", "--json"}).out)["runs"]; }
  bool is(std::size_t at, const std::string& status) const {
    return eventually([&] {
      const Json all = runs();
      return all.size() > at && all[at]["status"] == status;
    });
  }
  std::string announced() const { return read_file(project_ + "/announced"); }
  // A run whose engine was killed in the middle of an announcement.
  std::string killed_while_announcing() {
    write_file(project_ + "/hold", "");
    Process engine = teamster({"run", "announces"});
    // The shell makes the file a moment before it writes to it.
    EXPECT_TRUE(eventually([&] { return announced() == "once\n"; })) << engine.err();
    engine.kill(SIGKILL);
    EXPECT_TRUE(engine.wait());
    std::filesystem::remove(project_ + "/hold");
    EXPECT_TRUE(is(0, "interrupted"));
    return runs()[0]["run"];
  }

  Home home_;
  const std::string project_ = home_.scratch() + "/project";
};

TEST_F(Interrupted, SigtermLeavesARunInterruptedAndResumeAllTakesEveryOneUp) {
  Process first = teamster({"run", "asks", "one"});
  ASSERT_TRUE(is(0, "waiting")) << first.err();
  Process second = teamster({"run", "asks", "two"});
  ASSERT_TRUE(is(1, "waiting")) << second.err();
  for (Process* each : {&first, &second}) {
    each->kill(SIGTERM);
    EXPECT_EQ(each->wait(), 1);
    EXPECT_NE(each->err().find("teamster resume"), std::string::npos) << each->err();
  }
  ASSERT_TRUE(is(0, "interrupted"));
  ASSERT_TRUE(is(1, "interrupted"));
  const Outcome status = home_.run({"status"});
  EXPECT_NE(status.out.find("teamster resume --all"), std::string::npos) << status.out << "it says what can go on";
  const Json resumed = Json::parse(run({"resume", "--all", "--json"}).out);
  EXPECT_EQ(resumed["runs"].size(), 2U) << resumed;
  for (std::size_t at : {0U, 1U}) {
    ASSERT_TRUE(is(at, "waiting"));
    EXPECT_EQ(home_.ok({"approve", runs()[at]["run"].get<std::string>() + "/approve.1"})["recorded"], true);
    ASSERT_TRUE(is(at, "done"));
  }
  EXPECT_EQ(run({"resume", "--all"}).exit, 1) << "nothing is left";
}

TEST_F(Interrupted, ANotificationThatMayHaveHappenedIsAQuestionToItsOwner) {
  const std::string name = killed_while_announcing();
  const Outcome waits = run({"resume", name, "--no-wait"});
  EXPECT_EQ(waits.exit, 4) << waits;
  const Json inbox = home_.ok({"inbox"})["questions"];
  ASSERT_EQ(inbox.size(), 1U) << inbox;
  EXPECT_EQ(inbox[0]["question"], "nn/unknown.1");
  EXPECT_EQ(inbox[0]["to"], "owner");
  EXPECT_NE(home_.run({"status", name}).out.find("nn/unknown.1"), std::string::npos);
  EXPECT_EQ(home_.ok({"answer", "nn/unknown.1", "skip"})["recorded"], false) << "nobody drives it";
  EXPECT_EQ(run({"resume", name}).exit, 0);
  EXPECT_EQ(announced(), "once\n");
}

TEST_F(Interrupted, DecideTakesTheStepAsItIsPrinted) {
  const std::string name = killed_while_announcing();
  const Outcome unknown = run({"resume", name, "--decide", "mm=skip"});
  EXPECT_EQ(unknown.exit, 1) << unknown;
  EXPECT_NE(unknown.err.find("no step 'mm'"), std::string::npos) << unknown.err;
  EXPECT_NE(unknown.err.find("nn"), std::string::npos) << "and names those there are: " << unknown.err;
  EXPECT_EQ(run({"resume", name, "--decide", "nn=skip"}).exit, 0);
  EXPECT_EQ(announced(), "once\n");
}

TEST_F(Interrupted, DecideTakesTheQuestionThatWasAskedBefore) {
  const std::string name = killed_while_announcing();
  EXPECT_EQ(run({"resume", name, "--no-wait"}).exit, 4);
  EXPECT_EQ(run({"resume", name, "--decide", "nn.1=rerun"}).exit, 0);
  EXPECT_EQ(announced(), "once\nonce\n");
}

TEST_F(Interrupted, ResumeSaysThatItGoesOnOnlyWhenItDoes) {
  Process engine = teamster({"run", "asks", "one"});
  ASSERT_TRUE(is(0, "waiting")) << engine.err();
  const std::string name = runs()[0]["run"];
  const Outcome refused = run({"resume", name});
  EXPECT_EQ(refused.exit, 3) << refused;
  EXPECT_EQ(refused.out, "") << "it does not say that it goes on";
}

TEST_F(Interrupted, AnyUniquePartOfARunsNameWillDo) {
  Process engine = teamster({"run", "asks", "one"});
  ASSERT_TRUE(is(0, "waiting")) << engine.err();
  const std::string name = runs()[0]["run"];
  const std::string hex = name.substr(name.size() - 4);
  EXPECT_EQ(home_.run({"status", hex, "--json"}).json["run"], name);
  EXPECT_EQ(home_.run({"log", hex}).exit, 0);
  EXPECT_EQ(home_.run({"replay", hex}).exit, 0);
  Process second = teamster({"run", "asks", "two"});
  ASSERT_TRUE(is(1, "waiting")) << second.err();
  const Outcome several = home_.run({"status", "asks"});
  EXPECT_EQ(several.exit, 2) << several;
  EXPECT_NE(several.err.find(name), std::string::npos) << several.err;
  EXPECT_EQ(home_.ok({"cancel", hex})["status"], "cancelled");
  for (const char* command : {"report", "watch", "resume"}) {
    const Outcome outcome = home_.run({command, hex});
    EXPECT_EQ((outcome.out + outcome.err).find("there is no run"), std::string::npos) << outcome;
    EXPECT_NE((outcome.out + outcome.err).find("cancelled"), std::string::npos) << outcome;
  }
}

}  // namespace
}  // namespace teamster::e2e
