// Conversations of a real Claude Code that outlive its process: what was said before is in the
// next request, what was not finished is told again, and nothing is paid for twice.
#include <csignal>
#include <filesystem>

#include <gtest/gtest.h>

#include "real/real_team.h"

namespace teamster::real {
namespace {

// That the request shows these texts, in this order.
void expect_in_order(const Json& request, const Words& texts) {
  const std::string shown = request.value("text", "");
  std::size_t at = 0;
  for (const auto& text : texts) {
    at = shown.find(text, at);
    ASSERT_NE(at, std::string::npos) << text << " is not in its place in " << shown;
  }
}

void kill_hard(pid_t pid) {
  ASSERT_GT(pid, 1);
  ASSERT_EQ(::kill(pid, SIGKILL), 0);
  ASSERT_TRUE(e2e::has_ended(pid));
}

TEST(Resume, AfterTheAgentWasKilledBetweenTurns) {
  RealTeam team({"builder"}, {conversation_of("builder", {say("answer-1"), say("answer-2")})});
  team.start("builder");
  team.say_to("builder", "prompt-1");
  const pid_t agent = team.agent_of("builder");
  kill_hard(agent);
  ASSERT_TRUE(team.has_agent_after("builder", agent));
  EXPECT_EQ(team.say_to("builder", "prompt-2").value("text", ""), "answer-2");
  const auto requests = team.requests_of("builder");
  ASSERT_EQ(requests.size(), 2U);
  expect_in_order(requests[1], {"prompt-1", "answer-1", "prompt-2"});
}

TEST(Resume, AfterTheAgentWasKilledInATurn) {
  RealTeam team({"builder"}, {conversation_of("builder", {say("answer-1"), held(say("never said"), "never"),
                                                          say("answer-2"), say("answer-3")})});
  team.start("builder");
  team.say_to("builder", "prompt-1");
  auto prompt = team.say_aside("builder", "prompt-2");
  ASSERT_TRUE(team.has_requests("builder", 2));
  kill_hard(team.agent_of("builder"));
  // The message is told again without being asked for, and that turn is the answer.
  EXPECT_EQ(prompt.wait(), 0) << prompt.out();
  EXPECT_EQ(document_of(prompt).value("text", ""), "answer-2");
  const auto message = document_of(prompt).value("id", std::int64_t{0});
  EXPECT_TRUE(team.has_receipt(message, "acted"));
  EXPECT_EQ(team.say_to("builder", "prompt-3").value("text", ""), "answer-3");
  const auto requests = team.requests_of("builder");
  ASSERT_EQ(requests.size(), 4U);
  expect_in_order(requests[2], {"prompt-1", "answer-1", "prompt-2"});
  expect_in_order(requests[3], {"prompt-1", "answer-1", "prompt-2", "answer-2", "prompt-3"});
  EXPECT_NE(requests[2].value("last", "").find("told some of this before"), std::string::npos) << requests[2]["last"];
}

TEST(Resume, AfterTheAgentWasKilledInItsFirstTurn) {
  RealTeam team({"builder"}, {conversation_of("builder", {held(say("never said"), "never"), say("answer-1")})});
  team.start("builder");
  const auto message = team.tell("builder", "prompt-1");
  ASSERT_TRUE(team.has_requests("builder", 1));
  kill_hard(team.agent_of("builder"));
  EXPECT_TRUE(team.has_receipt(message, "acted"));
  const auto requests = team.requests_of("builder");
  ASSERT_EQ(requests.size(), 2U);
  expect_in_order(requests[1], {"prompt-1"});
}

TEST(Resume, AfterTheHostWasKilledInATurn) {
  RealTeam team({"builder"}, {conversation_of("builder", {say("answer-1"), held(say("never said"), "never"),
                                                          say("answer-2"), say("answer-3")})});
  team.start("builder");
  team.say_to("builder", "prompt-1");
  const auto message = team.tell("builder", "prompt-2");
  ASSERT_TRUE(team.has_requests("builder", 2));
  kill_hard(team.host_of("builder"));
  EXPECT_TRUE(team.has_state("builder", "lost"));
  const Outcome refused = team.home().fails(3, {"agent", "say", "--team", kTeam, "--member", "builder", "hello?"});
  EXPECT_NE(refused.next().find("teamster agent start"), std::string::npos) << refused;
  team.start("builder");
  EXPECT_TRUE(team.has_receipt(message, "acted"));
  EXPECT_EQ(team.say_to("builder", "prompt-3").value("text", ""), "answer-3");
  const auto requests = team.requests_of("builder");
  ASSERT_EQ(requests.size(), 4U);
  expect_in_order(requests[2], {"prompt-1", "answer-1", "prompt-2"});
  expect_in_order(requests[3], {"prompt-1", "answer-1", "prompt-2", "answer-2", "prompt-3"});
}

TEST(Resume, AfterAStop) {
  RealTeam team({"builder"}, {conversation_of("builder", {say("answer-1"), say("answer-2"), say("answer-3")})});
  team.start("builder");
  team.say_to("builder", "prompt-1");
  team.stop("builder");
  EXPECT_TRUE(team.has_state("builder", "gone"));
  team.start("builder");
  team.say_to("builder", "prompt-2");
  team.stop("builder");
  team.start("builder", {"--fresh"});
  team.say_to("builder", "prompt-3");
  const auto requests = team.requests_of("builder");
  ASSERT_EQ(requests.size(), 3U);
  expect_in_order(requests[1], {"prompt-1", "answer-1", "prompt-2"});
  EXPECT_EQ(requests[2].value("text", "").find("prompt-1"), std::string::npos) << "--fresh begins anew";
}

// docs/drivers.md says so: a resumed conversation keeps the instructions it began with.
TEST(Resume, KeepsTheFirstInstructions) {
  RealTeam team({"builder"}, {conversation_of("builder", {say("answer-1"), say("answer-2")})});
  team.start("builder", {"--instructions", "You build walls."});
  team.say_to("builder", "prompt-1");
  team.stop("builder");
  team.start("builder", {"--instructions", "You build roofs."});
  team.say_to("builder", "prompt-2");
  const auto requests = team.requests_of("builder");
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_NE(requests[0].value("system", "").find("You build walls."), std::string::npos);
  EXPECT_NE(requests[1].value("system", "").find("You build walls."), std::string::npos);
  EXPECT_EQ(requests[1].value("system", "").find("You build roofs."), std::string::npos);
}

// Claude Code keeps conversations in files, which can be gone. Then it begins a new one.
TEST(Resume, OfAConversationThatIsGoneIsANewOne) {
  RealTeam team({"builder"}, {conversation_of("builder", {say("answer-1"), say("answer-2"), say("answer-3")})});
  team.start("builder");
  team.say_to("builder", "prompt-1");
  team.stop("builder");
  ASSERT_GT(std::filesystem::remove_all(team.private_directory("builder") + "/config/projects"), 0U);
  team.start("builder");
  EXPECT_TRUE(team.has_receipt(team.tell("builder", "prompt-2"), "acted"));
  EXPECT_EQ(team.say_to("builder", "prompt-3").value("text", ""), "answer-3");
  const auto requests = team.requests_of("builder");
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests[1].value("text", "").find("prompt-1"), std::string::npos);
  expect_in_order(requests[2], {"prompt-2", "answer-2", "prompt-3"});
}

// Claude Code adds costs up over a conversation, goes on after a stop and begins again at 0
// after a kill. Each turn here costs the same.
TEST(Resume, CountsWhatEachTurnCostOnce) {
  const Json reply = costing(say("yes"), {.input = 1000, .output = 100});
  RealTeam team({"builder"}, {conversation_of("builder", {repeated(reply, 5)})});
  const auto cost_of_a_turn = [&] {
    const Json usage = team.say_to("builder", "again").at("usage");
    EXPECT_EQ(usage.value("input_tokens", 0), 1000) << usage;
    EXPECT_EQ(usage.value("output_tokens", 0), 100) << usage;
    return usage.value("cost_usd", 0.0);
  };
  team.start("builder");
  const double cost = cost_of_a_turn();
  EXPECT_GT(cost, 0);
  EXPECT_EQ(cost_of_a_turn(), cost);
  team.stop("builder");
  team.start("builder");
  EXPECT_EQ(cost_of_a_turn(), cost) << "after a stop";
  const pid_t agent = team.agent_of("builder");
  kill_hard(agent);
  ASSERT_TRUE(team.has_agent_after("builder", agent));
  EXPECT_EQ(cost_of_a_turn(), cost) << "after a kill of the agent";
  kill_hard(team.host_of("builder"));
  team.start("builder");
  EXPECT_EQ(cost_of_a_turn(), cost) << "after a kill of the host";
  const Json total = team.listed("builder").at("usage");
  EXPECT_EQ(total.value("turns", 0), 5) << total;
  EXPECT_EQ(total.value("input_tokens", 0), 5000) << total;
  EXPECT_NEAR(total.value("cost_usd", 0.0), 5 * cost, 1e-9) << total;
}

}  // namespace
}  // namespace teamster::real
