// Agents as a user runs them: turns, context, messages with receipts, interrupts, permissions,
// answers with schemas, usage, and what happens when the agent misbehaves. Each with the script
// driver, and with the claude driver and a fake that speaks claude's wire format.
#include <gtest/gtest.h>

#include "base/json.h"
#include "e2e/hosted_agent.h"

namespace teamster::e2e {
namespace {

class AgentTurns : public testing::TestWithParam<const char*> {
 protected:
  HostedAgent agent_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Drivers, AgentTurns, testing::Values("script", "claude"),
                         [](const auto& driver) { return std::string(driver.param); });

Json steps(std::initializer_list<Json> list) { return Json(list); }

TEST_P(AgentTurns, AnswersAndRemembers) {
  agent_.script({steps({{{"say", "one: {{PROMPT}}"}}}), steps({{{"say", "two"}}}), steps({{{"say", "{{HEARD}}"}}})});
  agent_.start();
  const Outcome first = agent_.say("hello");
  ASSERT_EQ(first.exit, 0) << first;
  EXPECT_NE(first.json["text"].get<std::string>().find("hello"), std::string::npos);
  // The words of the operator are marked as such.
  EXPECT_NE(first.json["text"].get<std::string>().find("from=\"operator\""), std::string::npos);
  EXPECT_EQ(agent_.say("again").json["text"], "two");
  EXPECT_EQ(agent_.say("third").json["turn"], 3);
  EXPECT_EQ(agent_.listed()["turns"], 3);
  EXPECT_EQ(agent_.listed()["state"], "idle");
}

TEST_P(AgentTurns, HearsAMessageWhileItWorks) {
  agent_.script(
      {steps({{{"say", "waiting"}}, {{"wait_message", {{"timeout", "30s"}}}}, {{"run", "true"}}, {{"say", "heard"}}})});
  agent_.start();
  const std::int64_t first = agent_.tell("begin");
  ASSERT_TRUE(agent_.has_receipt(first, "seen"));
  ASSERT_TRUE(agent_.is_working());
  const std::int64_t second = agent_.home().send("alpha", "tester", "builder", "one more thing");
  ASSERT_TRUE(agent_.has_receipt(second, "acted"));
  EXPECT_EQ(agent_.receipt(first), "acted");
  EXPECT_EQ(agent_.listed()["turns"], 1) << "two inputs, one turn";
  // Evidence came in this order, each once.
  std::vector<std::string> story;
  const Json log = agent_.home().ok({"log", "alpha"});
  for (const auto& event : log.at("events")) {
    const Json& body = event["body"];
    const bool about = body.contains("ids") && body["ids"] == Json::array({second});
    if (about && event["kind"] == "message.delivered") story.emplace_back("delivered");
    if (about && event["kind"] == "message.marked") story.push_back(body["mark"]);
  }
  EXPECT_EQ(story, (std::vector<std::string>{"delivered", "seen", "acted"}));
}

TEST_P(AgentTurns, AnInterruptCutsTheTurn) {
  agent_.script(
      {steps({{{"say", "busy"}}, {{"run", "sleep 600"}}, {{"say", "never said"}}}), steps({{{"say", "stopped"}}})});
  agent_.start();
  const std::int64_t first = agent_.tell("work for long");
  ASSERT_TRUE(agent_.has_receipt(first, "seen"));
  const Outcome second = agent_.say("stop that", {"--interrupt"});
  ASSERT_EQ(second.exit, 0) << second;
  EXPECT_EQ(second.json["text"], "stopped");
  const auto ends = agent_.transcript("turn_ended");
  ASSERT_EQ(ends.size(), 2U);
  EXPECT_EQ(ends[0]["fault"], "interrupted");
  // What the cut turn had been told is settled by the good one.
  EXPECT_TRUE(agent_.has_receipt(first, "acted"));
}

TEST_P(AgentTurns, PermissionsFollowThePolicy) {
  const auto ask = [](const char* command) {
    return Json{{"permission", {{"tool", "Bash"}, {"input", {{"command", command}}}}}};
  };
  agent_.script({steps({ask("touch allowed"), ask("rm -rf x"), {{"say", "done"}}})});
  agent_.start({"--allow", "Bash(touch *)"});
  ASSERT_EQ(agent_.say("go").exit, 0);
  EXPECT_EQ(::access((agent_.work() + "/allowed").c_str(), F_OK), 0);
  const auto decisions = agent_.transcript("permission");
  ASSERT_EQ(decisions.size(), 2U);
  EXPECT_EQ(decisions[0]["allowed"], true);
  EXPECT_EQ(decisions[1]["allowed"], false);
}

TEST_P(AgentTurns, AnswersAreCheckedAndMendedOnce) {
  const std::string schema = agent_.home().scratch() + "/schema.json";
  write_file(schema, R"({"type":"object","required":["score"],"properties":{"score":{"type":"integer"}}})");
  agent_.script({steps({{{"say", "Here: ```json\n{\"score\": 3}\n```"}}}), steps({{{"say", "no JSON at all"}}}),
                 steps({{{"say", "{\"score\": 4}"}}}), steps({{{"say", "{\"score\": \"high\"}"}}}),
                 steps({{{"say", "{\"score\": \"higher\"}"}}}), steps({{{"say", "still here"}}})});
  agent_.start();
  EXPECT_EQ(agent_.say("rate it", {"--schema", schema}).json["result"], (Json{{"score", 3}}));
  const Outcome mended = agent_.say("rate it again", {"--schema", schema});
  ASSERT_EQ(mended.exit, 0) << mended;
  EXPECT_EQ(mended.json["result"], (Json{{"score", 4}}));
  const Outcome wrong = agent_.say("and again", {"--schema", schema});
  EXPECT_EQ(wrong.exit, 1) << wrong;
  EXPECT_NE(wrong.json["error"].get<std::string>().find("score"), std::string::npos) << wrong;
  EXPECT_EQ(agent_.say("plain").json["text"], "still here");
}

TEST_P(AgentTurns, ReportsThroughTheTeamTool) {
  const std::string schema = agent_.home().scratch() + "/schema.json";
  write_file(schema, R"({"type":"object","required":["score"],"properties":{"score":{"type":"integer"}}})");
  agent_.script({steps({{{"report", {{"score", "high"}}}}, {{"report", {{"score", 7}}}}, {{"say", "reported"}}})});
  agent_.start();
  const Outcome answered = agent_.say("rate it", {"--schema", schema});
  ASSERT_EQ(answered.exit, 0) << answered;
  EXPECT_EQ(answered.json["result"], (Json{{"score", 7}}));
  const auto results = agent_.transcript("tool_result");
  ASSERT_EQ(results.size(), 2U);
  EXPECT_EQ(results[0].value("is_error", false), true) << results[0];
}

TEST_P(AgentTurns, UsesTheTeam) {
  agent_.home().ok({"task", "create", "--team", "alpha", "write it"});
  agent_.script({steps({{{"send", {{"to", "tester"}, {"body", "I begin"}}}},
                        {{"claim", Json::object()}},
                        {{"update", {{"status", "completed"}}}},
                        {{"say", "all done"}}})});
  agent_.start();
  ASSERT_EQ(agent_.say("take the task").exit, 0);
  const auto mail = agent_.home().inbox("alpha", "tester");
  ASSERT_EQ(mail.size(), 1U);
  EXPECT_EQ(mail[0]["from"], "builder");
  EXPECT_EQ(mail[0]["body"], "I begin");
  const Json task = agent_.home().ok({"task", "get", "--team", "alpha", "1"}).at("task");
  EXPECT_EQ(task["status"], "completed");
}

TEST_P(AgentTurns, UsageIsThatOfEachTurn) {
  const auto costing = [](int tokens) {
    return Json{{"usage", {{"input_tokens", tokens}, {"output_tokens", 5}, {"cost_usd", 0.25}}}};
  };
  agent_.script({steps({costing(100), {{"say", "a"}}}), steps({costing(200), {{"say", "b"}}})});
  agent_.start();
  const Json first = agent_.say("1").json["usage"];
  const Json second = agent_.say("2").json["usage"];
  EXPECT_EQ(first["input_tokens"], 100);
  EXPECT_EQ(second["input_tokens"], 200);
  // The wire says 0.5 after the second turn: it counts the whole conversation.
  EXPECT_EQ(second["cost_usd"], 0.25);
  EXPECT_FALSE(second.contains("cost_microusd")) << "one form everywhere";
  const Json usage = agent_.listed()["usage"];
  EXPECT_EQ(usage["input_tokens"], 300);
  EXPECT_EQ(usage["cost_usd"], 0.5);
}

TEST_P(AgentTurns, TroubleOfTheProviderIsAClearState) {
  const auto failing = [](int status) { return steps({{{"error", {{"status", status}, {"message", "mock"}}}}}); };
  agent_.script({failing(401), failing(429), failing(500), steps({{{"say", "well again"}}})});
  agent_.start();
  for (const char* fault : {"login", "rate_limit", "provider"}) {
    const Outcome outcome = agent_.say("try");
    EXPECT_EQ(outcome.exit, 1) << outcome;
    EXPECT_TRUE(outcome.json.value("error", "").starts_with(fault)) << outcome;
    EXPECT_EQ(agent_.listed()["state"], "failing");
    EXPECT_FALSE(agent_.listed().value("trouble", "").empty());
  }
  EXPECT_EQ(agent_.say("once more").json["text"], "well again");
  EXPECT_EQ(agent_.listed()["state"], "idle");
}

TEST_P(AgentTurns, OutputThatIsNoProtocolIsPassedOver) {
  agent_.script({steps({{{"garble", "this is no JSON"}}, {{"huge", {{"bytes", 10 * 1024 * 1024}}}}, {{"say", "fine"}}}),
                 steps({{{"huge", {{"bytes", 17 * 1024 * 1024}}}}, {{"say", "also fine"}}}),
                 steps({{{"unsolicited", {{"text", "by the way"}}}}, {{"say", "asked"}}}), steps({{{"say", "last"}}})});
  agent_.start();
  EXPECT_EQ(agent_.say("1").json["text"], "fine");
  EXPECT_EQ(agent_.say("2").json["text"], "also fine");
  EXPECT_EQ(agent_.transcript("noise").size(), 2U);
  EXPECT_EQ(agent_.say("3").json["text"], "asked");
  EXPECT_EQ(agent_.say("4").json["text"], "last");
}

}  // namespace
}  // namespace teamster::e2e
