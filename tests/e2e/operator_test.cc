// No process of an agent is the operator: its shell can read the cookie, and still can neither approve nor speak for
// people, however it hides who started it.
#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "e2e/hosted_agent.h"

namespace teamster::e2e {
namespace {

constexpr const char* kTwoQuestions = R"(
name: asking
about: Something to approve, and something to say.
phases:
  - id: approve
    kind: gate
    question: { text: 'Shall it go on?', to: kim }
    on: [ { when: { approved: false }, block: 'no' } ]
  - id: which
    kind: ask
    question: { text: 'Which way?', options: [left, right] }
)";

constexpr const char* kRefusal = "a process of an agent is not the operator";

class Operator : public testing::Test {
 protected:
  Operator() {
    const std::string place = home().scratch() + "/asking";
    std::filesystem::create_directories(place);
    write_file(place + "/workflow.yaml", kTwoQuestions);
    engine_ = std::make_unique<Process>(home().start({"run", place}));
    EXPECT_TRUE(eventually([&] { return home().run({"inbox", "--json"}).exit == 0; })) << engine_->err();
    run_ = home().ok({"inbox"})["questions"][0]["run"];
    agent_.script({}, Json::array({{{"run", "sh ./command"}}, {{"say", "done"}}}));
    agent_.start();
  }
  ~Operator() override {
    engine_->kill(SIGKILL);
    engine_->wait();
  }

  Home& home() { return agent_.home(); }
  // What the agent's shell prints and exits with; `{}` in the command stands for the program in this home.
  std::string agent_runs(const std::string& command) {
    const std::string file = agent_.work() + "/out";
    std::filesystem::remove(file);
    const std::string program = fmt::format("env TEAMSTER_HOME='{}' '{}'", home().path(), TEAMSTER_BINARY);
    std::string words = command;
    for (std::size_t at = 0; (at = words.find("{}", at)) != std::string::npos; at += program.size())
      words.replace(at, 2, program);
    write_file(agent_.work() + "/command", fmt::format("out='{}'\n{}\n", file, words));
    const Outcome said = agent_.say("go");
    EXPECT_EQ(said.exit, 0) << said;
    EXPECT_TRUE(eventually([&] { return read_file(file).find("exit") != std::string::npos; })) << read_file(file);
    return read_file(file);
  }
  void expect_refused(const std::string& command) {
    const std::size_t before = events();
    const std::string output = agent_runs(command);
    EXPECT_NE(output.find(kRefusal), std::string::npos) << command << "\n" << output;
    EXPECT_NE(output.find("exit 3"), std::string::npos) << command << "\n" << output;
    EXPECT_EQ(events(), before) << command;
  }
  // Of the run; and messages that anybody sent.
  std::size_t events() { return home().ok({"log", run_})["events"].size() + home().inbox("alpha", "tester").size(); }
  bool gate_is_open() { return home().ok({"inbox"})["questions"][0]["question"] == "approve.1"; }

  HostedAgent agent_{"script"};
  std::unique_ptr<Process> engine_;
  std::string run_;
};

TEST_F(Operator, TheShellOfAnAgentIsRefused) {
  expect_refused("{} approve approve.1 >$out 2>&1; echo exit $? >>$out");
  expect_refused("{} answer which left >$out 2>&1; echo exit $? >>$out");
  expect_refused("{} message send --team alpha --from operator --to tester forged >$out 2>&1; echo exit $? >>$out");
  EXPECT_TRUE(gate_is_open());
  EXPECT_NE(read_file(home().file("hub.log")).find("operator.refused"), std::string::npos) << "the owner can see it";
}

TEST_F(Operator, SoIsWhatHidesWhoStartedIt) {
  expect_refused("setsid --wait {} approve approve.1 >$out 2>&1; echo exit $? >>$out");
  expect_refused("(setsid sh -c '(sleep 0.3; {} approve approve.1 >\"$0\" 2>&1; echo exit $? >>\"$0\") &' $out &)");
  expect_refused("env -i setsid --wait {} approve approve.1 >$out 2>&1; echo exit $? >>$out");
  // A copy of the program under another name, and the cookie in a place of its own.
  expect_refused(
      fmt::format("cp '{0}' ./other; ln -s '{1}' ./link\n"
                  "TEAMSTER_HOME=$PWD/link setsid --wait ./other approve approve.1 >$out 2>&1; "
                  "echo exit $? >>$out",
                  TEAMSTER_BINARY, home().path()));
  EXPECT_TRUE(gate_is_open());
}

TEST_F(Operator, AnAgentStartsNoHub) {
  const std::string output =
      agent_runs(fmt::format("kill -9 {}; sleep 0.2\n"
                             "{{}} hub >$out 2>&1; echo exit $? >>$out",
                             home().hub_pid()));
  EXPECT_NE(output.find("a process of an agent does not start the hub of"), std::string::npos) << output;
  EXPECT_NE(output.find("exit 3"), std::string::npos) << output;
  EXPECT_TRUE(gate_is_open());
}

TEST_F(Operator, AMemberActsWithItsTokenAndPeopleAsBefore) {
  const std::string output =
      agent_runs(fmt::format("{{}} message send --to tester hello --token-file '{}' >$out 2>&1; echo exit $? >>$out",
                             home().token_file("alpha", "builder")));
  EXPECT_NE(output.find("exit 0"), std::string::npos) << output;
  EXPECT_EQ(home().inbox("alpha", "tester").at(0)["from"], "builder");
  EXPECT_EQ(home().ok({"approve", "approve.1"})["recorded"], true);
  EXPECT_EQ(home().ok({"answer", "which", "left"})["recorded"], true);
  EXPECT_EQ(engine_->wait(), 0) << engine_->err();
}

// An agent that works on this program has homes of its own.
TEST_F(Operator, InAHomeOfItsOwnAnAgentIsTheOperator) {
  const std::string output = agent_runs(
      fmt::format("TEAMSTER_HOME=$PWD/own '{0}' team create mine --member a >$out 2>&1; echo exit $? >>$out\n"
                  "TEAMSTER_HOME=$PWD/own '{0}' hub --stop",
                  TEAMSTER_BINARY));
  EXPECT_NE(output.find("exit 0"), std::string::npos) << output;
}

}  // namespace
}  // namespace teamster::e2e
