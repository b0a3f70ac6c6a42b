// How agents end: crashes and resumes, stops, and kills of everybody who could keep them.
// Nothing of an agent is left, and nothing it had finished is done again.
#include <csignal>

#include <gtest/gtest.h>

#include "e2e/hosted_agent.h"

namespace teamster::e2e {
namespace {

class AgentEnds : public testing::TestWithParam<const char*> {
 protected:
  // One that works on a command and has left two others, one in a session of its own.
  void start_busy() {
    agent_.script(Json::parse(R"([[{"fork":{"command":"sleep 601","detached":true}},{"fork":{"command":"sleep 602"}},
                                  {"say":"busy"},{"run":"sleep 603"}]])"));
    agent_.start();
    message_ = agent_.tell("work");
    ASSERT_TRUE(agent_.has_receipt(message_, "seen"));
    ASSERT_TRUE(eventually([&] { return agent_.processes().size() >= 5; })) << agent_.leftovers();
  }

  HostedAgent agent_{GetParam()};
  std::int64_t message_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Drivers, AgentEnds, testing::Values("script", "claude"),
                         [](const auto& driver) { return std::string(driver.param); });

TEST_P(AgentEnds, AStopLeavesNothing) {
  start_busy();
  const Json stopped = agent_.home().ok({"agent", "stop", "--team", "alpha", "--member", "builder"});
  EXPECT_EQ(stopped["stopped"], true);
  EXPECT_TRUE(agent_.nothing_is_left()) << agent_.leftovers();
}

TEST_P(AgentEnds, OneThatIsDeafIsEndedToo) {
  agent_.script(Json::parse(R"([[{"deaf":{"eof":true}},{"say":"deaf"},{"mute":{}}]])"));
  agent_.start();
  ASSERT_TRUE(agent_.has_receipt(agent_.tell("work"), "seen"));
  agent_.home().ok({"agent", "stop", "--team", "alpha", "--member", "builder"});
  EXPECT_TRUE(agent_.nothing_is_left()) << agent_.leftovers();
}

TEST_P(AgentEnds, TheHostKilledLeavesNothingAndIsResumed) {
  agent_.script(Json::parse(R"([[{"append":{"path":"done.txt","text":"once\n"}},{"say":"busy"},{"run":"sleep 603"},
                                  {"say":"never"}],[{"say":"second turn"}]])"));
  agent_.start();
  const std::int64_t message = agent_.tell("work");
  ASSERT_TRUE(agent_.has_receipt(message, "seen"));
  ASSERT_TRUE(eventually([&] { return agent_.processes().size() >= 4; })) << agent_.leftovers();
  const pid_t host = agent_.host();
  ASSERT_GT(host, 0);
  ::kill(host, SIGKILL);
  ASSERT_TRUE(agent_.nothing_is_left()) << agent_.leftovers();
  EXPECT_EQ(agent_.listed()["state"], "lost");
  const Json started = agent_.start();
  EXPECT_EQ(started["members"][0]["epoch"], 3);
  // It is told again what it had not finished, and goes on where it was.
  ASSERT_TRUE(eventually([&] { return agent_.transcript("told").size() == 2; }));
  EXPECT_NE(agent_.transcript("told")[1]["text"].get<std::string>().find("told some of this before"),
            std::string::npos);
  ASSERT_TRUE(agent_.is_working());
  EXPECT_EQ(read_file(agent_.work() + "/done.txt"), "once\n") << "a finished step was done again";
  const auto notes = agent_.transcript("note");
  EXPECT_NE(notes.back()["text"].get<std::string>().find("resumed"), std::string::npos);
  EXPECT_EQ(agent_.listed()["turns"], 2) << "the number of the turn that was cut is taken";
}

TEST_P(AgentEnds, TheKeeperKilledLeavesNothingAndTheAgentComesBack) {
  start_busy();
  const pid_t before = agent_.agent();
  const pid_t keeper = agent_.keeper();
  ASSERT_GT(keeper, 0);
  const auto running = agent_.processes();
  ::kill(keeper, SIGKILL);
  const pid_t host = agent_.host();
  for (const pid_t pid : running) EXPECT_TRUE(pid == host || has_ended(pid)) << pid;
  ASSERT_TRUE(eventually([&] { return agent_.agent() != 0 && agent_.agent() != before; }));
  EXPECT_EQ(agent_.home().ok({"agent", "stop", "--team", "alpha", "--member", "builder"})["stopped"], true);
  EXPECT_TRUE(agent_.nothing_is_left()) << agent_.leftovers();
}

TEST_P(AgentEnds, HostAndKeeperKilledTheNextStartCleansUp) {
  start_busy();
  const auto running = agent_.processes();
  const pid_t host = agent_.host();
  const pid_t keeper = agent_.keeper();
  ASSERT_GT(host, 0);
  ASSERT_GT(keeper, 0);  // kill(0) would be for ourselves
  // Stopped first, so that neither sees the other's end.
  for (const int signal : {SIGSTOP, SIGKILL})
    for (const pid_t pid : {host, keeper}) ASSERT_EQ(::kill(pid, signal), 0);
  ASSERT_TRUE(has_ended(host) && has_ended(keeper));
  agent_.start();
  for (const pid_t pid : running) EXPECT_TRUE(has_ended(pid)) << pid;
  agent_.home().ok({"agent", "stop", "--team", "alpha", "--member", "builder"});
  EXPECT_TRUE(agent_.nothing_is_left()) << agent_.leftovers();
}

TEST_P(AgentEnds, ACrashInATurnIsResumed) {
  agent_.script(Json::parse(R"([[{"append":{"path":"done.txt","text":"once\n"}},{"partial":"{\"type\":\"assi"},
                                  {"crash":{"exit":3}},{"say":"back"}]])"));
  agent_.start();
  // The message is told again to the resumed agent, whose turn is the answer.
  const Outcome outcome = agent_.say("work");
  ASSERT_EQ(outcome.exit, 0) << outcome;
  EXPECT_EQ(outcome.json["text"], "back");
  EXPECT_EQ(outcome.json["turn"], 2);
  const auto ends = agent_.transcript("turn_ended");
  ASSERT_EQ(ends.size(), 2U);
  EXPECT_EQ(ends[0]["fault"], "crashed");
  EXPECT_NE(ends[0]["error"].get<std::string>().find("code 3"), std::string::npos);
  EXPECT_EQ(read_file(agent_.work() + "/done.txt"), "once\n");
}

TEST_P(AgentEnds, OneThatCrashesAgainAndAgainIsGivenUp) {
  const Json crash = {{"crash", {{"signal", 9}}}};
  agent_.script({Json::array({crash, crash, crash, crash, crash, crash})});  // one turn, resumed after each
  agent_.start();
  const Outcome outcome = agent_.say("work");
  EXPECT_EQ(outcome.exit, 1) << outcome;
  EXPECT_NE(outcome.json.value("error", "").find("signal 9"), std::string::npos) << outcome;
  ASSERT_TRUE(eventually([&] { return agent_.listed().value("state", "") == "gone"; }));
  EXPECT_NE(agent_.listed().value("trouble", "").find("ended 4 times"), std::string::npos) << agent_.listed();
  EXPECT_TRUE(agent_.nothing_is_left()) << agent_.leftovers();
}

TEST(AgentRefusals, SayWhatToDo) {
  HostedAgent agent("script");
  agent.script(Json::parse(R"([[{"say":"hi"}]])"));
  EXPECT_NE(agent.fails_to_start(2, {"--driver", "clode"}).next().find("claude"), std::string::npos);
  EXPECT_EQ(agent.fails_to_start(2, {"--driver", "script", "--allow", "Bash("}).exit, 2);
  EXPECT_EQ(agent.home().fails(1, {"agent", "start", "--team", "nowhere", "--member", "builder"}).exit, 1);
  EXPECT_NE(
      agent.home().fails(3, {"agent", "say", "--team", "alpha", "--member", "builder", "x"}).next().find("agent start"),
      std::string::npos);
  agent.start();
  EXPECT_NE(agent.fails_to_start(3, {"--driver", "script", "--script", agent.home().scratch() + "/play.json"})
                .next()
                .find("agent stop"),
            std::string::npos);
  EXPECT_EQ(agent.home().ok({"agent", "drivers"}).at("drivers").size(), 3U);
}

}  // namespace
}  // namespace teamster::e2e
