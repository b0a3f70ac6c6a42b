// The scripted agent on raw pipes: turns, messages, control, permissions, answers, tools.
// What goes wrong on purpose is in script_faults_test.cc.
#include <csignal>
#include <filesystem>

#include "e2e/fixture.h"
#include "e2e/scripted_agent.h"

namespace teamster::e2e {
namespace {

constexpr const char* kId = "56d2c8ef-1414-4528-88f8-409469726c6f";

// A command that runs until the test lets it go, and says so when it has begun.
constexpr const char* kHold =
    R"({"run":"echo $$ > begun.tmp; mv begun.tmp begun; while ! [ -e go ]; do sleep 0.01; done"})";

bool has_begun(const AgentPlace& place) {
  return eventually([&] { return std::filesystem::exists(place.file("begun")); });
}

// In the order of the lines: the blocks of all messages.
std::vector<Json> blocks(const ScriptedAgent& agent, const std::string& type) {
  std::vector<Json> found;
  for (const auto& line : agent.seen) {
    if (!line.is_object() || !line.contains("message") || !line["message"]["content"].is_array()) continue;
    for (const auto& block : line["message"]["content"])
      if (block["type"] == type) found.push_back(block);
  }
  return found;
}

TEST(ScriptAgent, SaysNothingUntilItIsSpokenTo) {
  const AgentPlace place;
  place.turn(R"({"say":"hello {{PROMPT}}"})");
  ScriptedAgent agent(place, {"--session-id", kId, "--model", "m"});
  EXPECT_TRUE(agent.is_silent(300ms));
  agent.say("you");
  const Json init = agent.line();
  EXPECT_EQ(init["type"], "system");
  EXPECT_EQ(init["subtype"], "init");
  EXPECT_EQ(init["session_id"], kId);
  EXPECT_EQ(init["model"], "m");
  EXPECT_EQ(init["cwd"], std::filesystem::canonical(place.path()).string());
  EXPECT_EQ(init["permissionMode"], "default");
  EXPECT_TRUE(init.contains("tools") && init.contains("mcp_servers") && init.contains("uuid"));
  EXPECT_EQ(agent.line()["type"], "assistant");
  EXPECT_EQ(agent.line()["result"], "hello you");
  agent.say("again");
  EXPECT_EQ(agent.line()["subtype"], "init") << "in each turn";
  EXPECT_EQ(agent.result()["result_index"], 1);
}

TEST(ScriptAgent, TheKeysHaveNoOrder) {
  const AgentPlace place;
  place.turn(R"({"say":"a"},{"say":"b"},{"say":"c"})");
  ScriptedAgent agent(place);
  agent.say("x");
  agent.close_input();
  while (const auto line = agent.raw_line()) EXPECT_FALSE(line->starts_with(R"({"type")")) << *line;
}

TEST(ScriptAgent, ReallyEditsAndRuns) {
  const AgentPlace place;
  place.turn(R"({"write":{"path":"a/b.txt","text":"one"}},{"append":{"path":"a/b.txt","text":"+two"}},
      {"run":"cat a/b.txt; echo $HOME; echo oops >&2; exit 3"},{"write":{"path":"c","text":""}},{"remove":{"path":"c"}},
      {"say":"done"})");
  ScriptedAgent agent(place);
  agent.say("x");
  const Json result = agent.result();
  EXPECT_EQ(result["result"], "done");
  EXPECT_EQ(result["num_turns"], 6);
  EXPECT_EQ(read_file(place.file("a/b.txt")), "one+two");
  EXPECT_FALSE(std::filesystem::exists(place.file("c")));
  const auto results = blocks(agent, "tool_result");
  ASSERT_EQ(results.size(), 5U);
  EXPECT_EQ(results[2]["is_error"], true);
  const std::string output = results[2]["content"];
  EXPECT_TRUE(output.starts_with("Exit code 3\none+two" + place.path())) << output;
  EXPECT_NE(output.find("oops"), std::string::npos);
  const auto uses = blocks(agent, "tool_use");
  EXPECT_EQ(uses[0]["name"], "Write");
  EXPECT_EQ(uses[2]["name"], "Bash");
  EXPECT_EQ(uses[2]["id"], results[2]["tool_use_id"]);
}

TEST(ScriptAgent, AnUnexpectedExitCodeFailsTheTurn) {
  const AgentPlace place;
  place.turn(R"({"run":{"command":"true","expect_exit":1}},{"say":"never"})");
  ScriptedAgent agent(place);
  agent.say("x");
  EXPECT_EQ(agent.result()["is_error"], true);
}

TEST(ScriptAgent, TwoInputsMayHaveOneResult) {
  const AgentPlace place;
  place.turn(std::string(kHold) + R"(,{"say":"heard {{MESSAGE}}"})");
  ScriptedAgent agent(place, {"--replay-user-messages"});
  agent.say("x", "u1");
  ASSERT_TRUE(has_begun(place));
  agent.say("hurry", "u2");
  EXPECT_EQ(agent.until("command_lifecycle")["command_uuid"], "u1");
  while (agent.seen.back().value("command_uuid", "") != "u2") agent.until("command_lifecycle");
  agent.seen.clear();
  write_file(place.file("go"), "");
  const Json result = agent.result();
  EXPECT_EQ(result["result"], "heard hurry");
  ASSERT_GE(agent.seen.size(), 4U);
  EXPECT_EQ(agent.seen[0]["message"]["content"][0]["type"], "tool_result");
  EXPECT_EQ(agent.seen[1]["isReplay"], true);
  EXPECT_EQ(agent.seen[1]["uuid"], "u2");
  EXPECT_EQ(agent.seen[2]["state"], "started");
  EXPECT_EQ(agent.line()["state"], "completed");
  agent.close_input();
  EXPECT_TRUE(agent.line().is_null()) << "nothing more";
  EXPECT_EQ(agent.wait(), 0);
}

TEST(ScriptAgent, AMessageAfterTheLastToolGetsATurnOfItsOwn) {
  const AgentPlace place;
  place.script(R"({"turns":[{"steps":[{"wait_message":{"timeout":"20s"}},{"say":"a {{MESSAGE}}"}]},
                          {"steps":[{"say":"b {{PROMPT}}"}]}]})");
  ScriptedAgent agent(place);
  agent.say("x");
  agent.until("system");
  agent.say("one");
  EXPECT_EQ(agent.result()["result"], "a one");
  agent.say("two");
  EXPECT_EQ(agent.result()["result"], "b two");
}

TEST(ScriptAgent, AnInterruptKillsTheCommand) {
  const AgentPlace place;
  place.script(R"({"turns":[{"steps":[)" + std::string(kHold) + R"(]},{"steps":[{"say":"b"}]}]})");
  ScriptedAgent agent(place);
  agent.say("x", "u1");
  ASSERT_TRUE(has_begun(place));
  const pid_t command = std::stoi(read_file(place.file("begun")));
  agent.control({{"subtype", "interrupt"}}, "i1");
  EXPECT_EQ(agent.until("control_response")["response"]["request_id"], "i1");
  const Json result = agent.result();
  EXPECT_EQ(result["is_error"], true);
  EXPECT_EQ(result["terminal_reason"], "aborted_tools");
  EXPECT_EQ(result["subtype"], "error_during_execution");
  EXPECT_EQ(agent.line()["state"], "cancelled");
  EXPECT_TRUE(has_ended(command));
  agent.say("y");
  EXPECT_EQ(agent.result()["result"], "b") << "the session is usable";
}

TEST(ScriptAgent, AnswersControlRequests) {
  const AgentPlace place;
  place.turn(R"({"say":"a"})");
  ScriptedAgent agent(place);
  agent.control({{"subtype", "initialize"}}, "1");
  EXPECT_EQ(agent.line()["response"]["subtype"], "success");
  agent.control({{"subtype", "interrupt"}}, "2");
  EXPECT_EQ(agent.line()["response"]["response"]["still_queued"], Json::array());
  agent.control({{"subtype", "set_model"}, {"model", "other"}}, "3");
  EXPECT_EQ(agent.line()["response"]["subtype"], "success");
  agent.control({{"subtype", "set_permission_mode"}, {"mode", "plan"}}, "4");
  EXPECT_EQ(agent.line()["response"]["response"]["mode"], "plan");
  EXPECT_EQ(agent.line()["subtype"], "status");
  agent.control({{"subtype", "frobnicate"}}, "5");
  EXPECT_EQ(agent.line()["response"]["error_code"], "unsupported_request");
  agent.say("x");
  EXPECT_EQ(agent.line()["model"], "other");
  agent.result();
  agent.control({{"subtype", "end_session"}}, "6");
  EXPECT_EQ(agent.until("control_response")["response"]["request_id"], "6");
  EXPECT_EQ(agent.wait(), 0);
}

class ScriptAgentPermission : public testing::Test {
 protected:
  ScriptAgentPermission() {
    place_.turn(R"({"permission":{"tool":"Bash","input":{"command":"echo original > made"}}},{"say":"after"})");
  }
  void answer(ScriptedAgent& agent, const Json& response) {
    agent.say("x");
    const Json request = agent.until("control_request");
    EXPECT_EQ(request["request"]["subtype"], "can_use_tool");
    EXPECT_EQ(request["request"]["tool_name"], "Bash");
    agent.send({{"type", "control_response"},
                {"response", {{"subtype", "success"}, {"request_id", request["request_id"]}, {"response", response}}}});
  }
  AgentPlace place_;
};

TEST_F(ScriptAgentPermission, AllowedItRuns) {
  ScriptedAgent agent(place_, {"--permission-prompt-tool", "stdio"});
  answer(agent, {{"behavior", "allow"}});
  EXPECT_EQ(agent.result()["permission_denials"], Json::array());
  EXPECT_EQ(read_file(place_.file("made")), "original\n");
}

TEST_F(ScriptAgentPermission, RewrittenItRunsAsRewritten) {
  ScriptedAgent agent(place_, {"--permission-prompt-tool", "stdio"});
  answer(agent, {{"behavior", "allow"}, {"updatedInput", {{"command", "echo rewritten > made"}}}});
  agent.result();
  EXPECT_EQ(read_file(place_.file("made")), "rewritten\n");
}

TEST_F(ScriptAgentPermission, DeniedItDoesNotAndTheTurnGoesOn) {
  ScriptedAgent agent(place_, {"--permission-prompt-tool", "stdio"});
  answer(agent, {{"behavior", "deny"}, {"message", "not allowed by lead"}});
  const Json result = agent.result();
  EXPECT_EQ(result["result"], "after");
  EXPECT_EQ(result["permission_denials"][0]["tool_name"], "Bash");
  EXPECT_EQ(blocks(agent, "tool_result")[0]["content"], "not allowed by lead");
  EXPECT_FALSE(std::filesystem::exists(place_.file("made")));
}

TEST_F(ScriptAgentPermission, WithoutTheFlagItIsDenied) {
  ScriptedAgent agent(place_);
  agent.say("x");
  EXPECT_EQ(agent.result()["permission_denials"].size(), 1U);
}

TEST(ScriptAgent, AnswersAreCheckedAgainstTheSchema) {
  const AgentPlace place;
  place.script(R"({"turns":[{"steps":[{"answer":{"x":1}},{"answer":{"score":2}},{"say":"never"}]},
                          {"steps":[{"say":"no"}]}]})");
  ScriptedAgent agent(place, {"--json-schema", R"({"type":"object","required":["score"]})"});
  agent.say("x");
  const Json good = agent.result();
  EXPECT_EQ(good["structured_output"], (Json{{"score", 2}}));
  EXPECT_EQ(good["result"], R"({"score":2})");
  EXPECT_EQ(good["stop_reason"], "tool_use");
  const auto results = blocks(agent, "tool_result");
  ASSERT_EQ(results.size(), 2U);
  EXPECT_TRUE(results[0]["content"].get<std::string>().starts_with("Output does not match required schema: "));
  agent.seen.clear();
  agent.say("y");
  const Json missing = agent.result();
  EXPECT_EQ(missing["is_error"], false);
  EXPECT_EQ(missing["subtype"], "success");
  EXPECT_FALSE(missing.contains("structured_output"));
  EXPECT_EQ(agent.seen[2]["isSynthetic"], true) << "one nudge";
}

TEST(ScriptAgent, MoneyIsForTheSessionUsageForTheTurn) {
  const AgentPlace place;
  place.script(R"({"turns":[],"otherwise":[{"usage":{"input_tokens":100,"cost_usd":0.5}}]})");
  {
    ScriptedAgent agent(place, {"--session-id", kId, "--model", "m"});
    agent.say("x");
    agent.result();
    agent.say("y");
    EXPECT_EQ(agent.result()["total_cost_usd"], 1.0);
    agent.close_input();
    EXPECT_EQ(agent.wait(), 0);
  }
  ScriptedAgent agent(place, {"--resume", kId});
  agent.say("z");
  EXPECT_EQ(agent.line()["model"], "m") << "kept";
  const Json result = agent.result();
  EXPECT_EQ(result["usage"]["input_tokens"], 100);
  EXPECT_EQ(result["total_cost_usd"], 1.5);
  EXPECT_EQ(result["modelUsage"]["m"]["inputTokens"], 300);
  EXPECT_EQ(result["result_index"], 0);
}

// A server that answers every call with what it was called with.
constexpr const char* kServer = R"(
read probe; echo '{"jsonrpc":"2.0","id":"probe","result":{"supportedVersions":["2026-07-28"]}}'
n=0
while read -r line; do
  n=$((n+1)); printf '%s\n' "$line" >> calls
  echo "{\"jsonrpc\":\"2.0\",\"id\":$n,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"ok $n\"}],\"structuredContent\":{\"task\":{\"id\":7,\"token\":\"c1\"}}}}"
done
)";

TEST(ScriptAgent, CallsTeamToolsByMcp) {
  const AgentPlace place;
  place.turn(R"({"send":{"to":"lead","body":"hi"}},{"claim":{}},{"update":{"status":"completed"}},
      {"tool":{"name":"get_task","arguments":{"id":7},"save":"t"}},{"report":{"ok":true}},{"say":"{{t.task.id}}"})");
  const Json config = {{"mcpServers", {{"team", {{"command", "sh"}, {"args", {"-c", kServer}}}}}}};
  ScriptedAgent agent(place, {"--mcp-config", dump_json(config), "--strict-mcp-config"});
  agent.say("x");
  EXPECT_EQ(agent.line()["mcp_servers"][0]["name"], "team");
  EXPECT_EQ(agent.result()["result"], "7");
  const auto uses = blocks(agent, "tool_use");
  ASSERT_EQ(uses.size(), 5U);
  EXPECT_EQ(uses[0]["name"], "mcp__team__send_message");
  EXPECT_EQ(uses[2]["input"], Json::parse(R"({"status":"completed","id":7,"token":"c1"})"));
  EXPECT_EQ(blocks(agent, "tool_result")[4]["content"], "ok 5");
  EXPECT_NE(read_file(place.file("calls")).find(R"("result":{"ok":true})"), std::string::npos);
}

TEST(ScriptAgent, UsesTheToolsOfARealTeam) {
  const Home home;
  home.create_team("alpha", {"builder", "tester"});
  home.send("alpha", "tester", "builder", "please build");
  const AgentPlace place;
  place.turn(R"({"inbox":{}},{"create_task":{"subject":"build it"}},{"claim":{}},
      {"update":{"status":"completed"}},{"send":{"to":"tester","body":"built {{claim.subject}}"}},{"say":"done"})");
  const Json config = {{"mcpServers",
                        {{"team",
                          {{"command", TEAMSTER_BINARY},
                           {"args", {"mcp", "--team", "alpha", "--member", "builder"}},
                           {"env", {{"TEAMSTER_HOME", home.path()}}}}}}}};
  ScriptedAgent agent(place, {"--mcp-config", dump_json(config)});
  agent.say("x");
  EXPECT_EQ(agent.result()["result"], "done");
  const auto results = blocks(agent, "tool_result");
  ASSERT_EQ(results.size(), 5U);
  for (const auto& result : results) EXPECT_FALSE(result.contains("is_error")) << result;
  EXPECT_NE(results[0]["content"].get<std::string>().find("please build"), std::string::npos);
  const auto inbox = home.inbox("alpha", "tester");
  ASSERT_EQ(inbox.size(), 1U);
  EXPECT_EQ(inbox[0]["body"], "built build it");
  EXPECT_EQ(inbox[0]["from"], "builder");
  EXPECT_EQ(home.ok({"task", "get", "--team", "alpha", "1"})["task"]["status"], "completed");
}

TEST(ScriptAgent, WithoutAServerAToolFailsVisiblyAndTheTurnGoesOn) {
  const AgentPlace place;
  place.turn(R"({"inbox":{}},{"say":"after"})");
  ScriptedAgent agent(place);
  agent.say("x");
  EXPECT_EQ(agent.result()["result"], "after");
  EXPECT_EQ(blocks(agent, "tool_result")[0]["is_error"], true);
}

TEST(ScriptAgent, AtTheEndOfInputItFinishesWhatItHeard) {
  const AgentPlace place;
  place.turn(R"({"run":"sleep 0.2"},{"say":"a"})");
  ScriptedAgent agent(place);
  agent.say("x");
  agent.close_input();
  EXPECT_EQ(agent.result()["result"], "a");
  EXPECT_EQ(agent.wait(), 0);
  ScriptedAgent idle(place);
  idle.close_input();
  EXPECT_EQ(idle.wait(), 0);
  EXPECT_TRUE(idle.line().is_null());
}

TEST(ScriptAgent, WorksOnFilesToo) {
  const AgentPlace place;
  place.turn(R"({"say":"a"})");
  Process process(Start{.command = {TEAMSTER_BINARY, "script-agent", "-p", "--input-format", "stream-json",
                                    "--output-format", "stream-json", "--script", place.file("script.json")},
                        .environment = {"HOME=" + place.path(), place.mark()},
                        .input = R"({"type":"user","message":{"role":"user","content":"x"}})"
                                 "\n"});
  EXPECT_EQ(process.wait(), 0);
  EXPECT_NE(process.out().find(R"("result":"a")"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(place.file(".script-agent")));
}

}  // namespace
}  // namespace teamster::e2e
