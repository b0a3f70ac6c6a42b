// `teamster mcp` as agents meet it: the real program over pipes, in each revision of MCP.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "e2e/mcp_client.h"

namespace teamster::e2e {
namespace {

int rpc_code(const Json& answer) { return answer.contains("error") ? answer["error"].value("code", 0) : 0; }

std::size_t resident_bytes(pid_t pid) {
  std::ifstream status(fmt::format("/proc/{}/status", pid));
  for (std::string word; status >> word;) {
    std::size_t kib = 0;
    if (word == "VmRSS:" && status >> kib) return kib * 1024;
  }
  return 0;
}

class Mcp : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { home_.create_team("alpha", {"builder", "tester", "lead"}); }

  bool is_stateless() const { return std::string(GetParam()) == "2026-07-28"; }
  Json request(const Json& id, const std::string& method, Json params = Json::object()) const {
    if (is_stateless()) {
      params["_meta"]["io.modelcontextprotocol/protocolVersion"] = GetParam();
      params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = Json::object();
    }
    return {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}};
  }
  Json call(const Json& id, const std::string& tool, const Json& arguments = Json::object()) const {
    return request(id, "tools/call", {{"name", tool}, {"arguments", arguments}});
  }
  // One that has agreed on the revision, where there is something to agree on.
  McpClient connect(const std::string& member = "builder", const Words& more = {}) const {
    McpClient client = McpClient::of_member(home_, "alpha", member, more);
    if (is_stateless()) return client;
    client.ask(request("hello", "initialize",
                       {{"protocolVersion", GetParam()},
                        {"capabilities", Json::object()},
                        {"clientInfo", {{"name", "e2e"}, {"version", "1"}}}}));
    client.say(Json{{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}});
    return client;
  }
  static void expect_error(const Json& answer, const std::string& part) {
    const Json& result = answer["result"];
    EXPECT_EQ(result.value("isError", false), true) << answer;
    EXPECT_NE(result["content"][0]["text"].get<std::string>().find(part), std::string::npos) << answer;
  }

  Home home_;
};

std::string name_of(const testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  std::erase(name, '-');
  return "r" + name;
}
INSTANTIATE_TEST_SUITE_P(Revisions, Mcp, testing::Values("2025-06-18", "2025-11-25", "2026-07-28"), name_of);

// What takes seconds and is the same in all of them.
class McpOnce : public Mcp {};
INSTANTIATE_TEST_SUITE_P(Revisions, McpOnce, testing::Values("2025-11-25"), name_of);

TEST_P(Mcp, AgreesOnTheRevision) {
  McpClient client = McpClient::of_member(home_, "alpha", "builder");
  if (is_stateless()) {
    const Json result = client.ask(request("server-discover-probe-1", "server/discover"))["result"];
    EXPECT_EQ(result["supportedVersions"][0], GetParam());
    EXPECT_EQ(result["resultType"], "complete");
    EXPECT_TRUE(result.contains("ttlMs") && result.contains("cacheScope"));
    client.say(request("listen:0", "subscriptions/listen", {{"notifications", {{"toolsListChanged", true}}}}));
    const auto first = client.hear();
    ASSERT_TRUE(first);
    EXPECT_EQ((*first)["method"], "notifications/subscriptions/acknowledged");
    EXPECT_EQ((*first)["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], "listen:0");
    Json future = request(2, "tools/list");
    future["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2099-01-01";
    EXPECT_EQ(rpc_code(client.ask(future)), -32022);
    return;
  }
  const Json result = client.ask(request(0, "initialize",
                                         {{"protocolVersion", GetParam()},
                                          {"capabilities", {{"elicitation", Json::object()}}},
                                          {"clientInfo", {{"name", "e2e"}, {"version", "1"}}}}))["result"];
  EXPECT_EQ(result["protocolVersion"], GetParam());
  EXPECT_EQ(result["serverInfo"]["name"], "teamster");
  EXPECT_NE(result["instructions"].get<std::string>().find("builder"), std::string::npos);
  EXPECT_EQ(client.ask(request(1, "ping"))["result"], Json::object());
}

TEST_P(Mcp, ListsItsTools) {
  McpClient client = connect();
  const Json result = client.ask(request(1, "tools/list"))["result"];
  EXPECT_EQ(result["tools"].size(), 11U);
  for (const auto& tool : result["tools"])
    for (const char* part : {"name", "title", "description", "inputSchema", "outputSchema", "annotations"})
      EXPECT_TRUE(tool.contains(part)) << tool["name"] << " " << part;
  EXPECT_EQ(result.contains("ttlMs"), is_stateless());
}

TEST_P(Mcp, AnswersIdsAsTheyAre) {
  McpClient client = connect();
  for (const Json& id : {Json(0), Json("0"), Json(""), Json("a\"b"), Json(-1), Json(9007199254740993)}) {
    const Json answer = client.ask(call(id, "list_members"));
    EXPECT_EQ(answer["id"], id);
    EXPECT_EQ(answer["result"]["structuredContent"]["members"].size(), 3U);
    EXPECT_EQ(Json::parse(answer["result"]["content"][0]["text"].get<std::string>()),
              answer["result"]["structuredContent"]);
  }
}

TEST_P(Mcp, RefusesWhatMakesNoSenseAndGoesOn) {
  McpClient client = connect();
  EXPECT_EQ(rpc_code(client.ask(request(1, "no/such"))), -32601);
  EXPECT_EQ(rpc_code(client.ask(request(2, "resources/list"))), -32601);
  client.say(std::string("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":"));
  const auto malformed = client.hear();
  ASSERT_TRUE(malformed);
  EXPECT_EQ(rpc_code(*malformed), -32700);
  EXPECT_TRUE((*malformed)["id"].is_null());
  EXPECT_EQ(rpc_code(client.ask(call(4, "no_such_tool"))), -32602);
  EXPECT_EQ(rpc_code(client.ask(call(5, "send_message", {{"to", "tester"}}))), -32602);
  EXPECT_EQ(rpc_code(client.ask(call(6, "get_task", {{"id", "one"}}))), -32602);
  EXPECT_EQ(rpc_code(client.ask(request(7, "tools/call", {{"arguments", Json::object()}}))), -32602);
  const std::string piece(64 * 1024, 'x');
  std::string huge = "{\"jsonrpc\":\"2.0\",\"id\":8,\"x\":\"";
  while (huge.size() < 20 * 1024 * 1024) huge += piece;
  client.say(huge);
  const auto too_long = client.hear();
  ASSERT_TRUE(too_long);
  EXPECT_EQ(rpc_code(*too_long), -32600);
  EXPECT_EQ(client.ask(call(9, "list_members"))["id"], 9) << "the connection lives";
  expect_error(client.ask(call(10, "send_message", {{"to", "nobody"}, {"body", "x"}})), "nobody");
}

TEST_P(Mcp, TakesAMebibyteInOneArgument) {
  McpClient client = connect();
  const std::string plain(1024 * 1024, 'x');
  const std::string escaped(1024 * 1024, '\x01');
  EXPECT_TRUE(
      client.ask(call(1, "send_message", {{"to", "tester"}, {"body", plain}}))["result"].contains("structuredContent"));
  EXPECT_TRUE(client.ask(call(2, "send_message", {{"to", "tester"}, {"body", escaped}}))["result"].contains(
      "structuredContent"));
  expect_error(client.ask(call(3, "send_message", {{"to", "tester"}, {"body", plain + "x"}})), "1048576");
  McpClient reader = connect("tester");
  const Json first = reader.ask(call(1, "read_inbox"))["result"]["structuredContent"];
  ASSERT_EQ(first["messages"].size(), 1U) << "a page holds one of them";
  EXPECT_EQ(first["messages"][0]["body"], plain);
  const Json second = reader.ask(call(2, "read_inbox", {{"after", first["next"]}}))["result"]["structuredContent"];
  EXPECT_EQ(second["messages"][0]["body"], escaped);
}

TEST_P(Mcp, ACancelledCallIsNotAnswered) {
  McpClient client = connect();
  home_.end_hub();
  client.say(call("slow", "list_tasks"));
  client.say(Json{{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", {{"requestId", "slow"}}}});
  client.say(call("kept", "list_tasks"));
  EXPECT_EQ(client.ask(request("meanwhile", "tools/list"))["id"], "meanwhile");
  home_.hub_pid();
  EXPECT_TRUE(client.hear_answer("kept")["result"].contains("structuredContent"));
  client.close_input();
  client.hear_rest();
  for (const auto& other : client.others) EXPECT_NE(other.value("id", Json()), "slow") << other;
  EXPECT_EQ(client.wait(), 0);
}

TEST_P(Mcp, TellsOfProgressWhileItWaits) {
  McpClient client = connect();
  home_.end_hub();
  Json waiting = call(1, "list_tasks");
  waiting["params"]["_meta"]["progressToken"] = "t1";
  client.say(waiting);
  double last = 0;
  for (int i = 0; i < 2; ++i) {
    const auto told = client.hear(20s);
    ASSERT_TRUE(told);
    EXPECT_EQ((*told)["method"], "notifications/progress");
    EXPECT_EQ((*told)["params"]["progressToken"], "t1");
    EXPECT_GT((*told)["params"]["progress"].get<double>(), last);
    last = (*told)["params"]["progress"].get<double>();
  }
  home_.hub_pid();
  EXPECT_TRUE(client.hear_answer(1)["result"].contains("structuredContent"));
}

TEST_P(Mcp, AMemberActsAsItselfAlone) {
  home_.create_team("beta", {"builder"});
  McpClient client = connect();
  for (const char* smuggled : {"from", "member", "team", "key"})
    EXPECT_EQ(
        rpc_code(client.ask(call(smuggled, "send_message", {{"to", "tester"}, {"body", "x"}, {smuggled, "lead"}}))),
        -32602)
        << smuggled;
  EXPECT_EQ(rpc_code(client.ask(call(1, "claim_task", {{"member", "tester"}}))), -32602);
  expect_error(client.ask(call(2, "send_message", {{"to", "tester"}, {"body", "go"}, {"kind", "shutdown_request"}})),
               "lead");
  for (const auto& token : {home_.token_file("alpha", "tester"), home_.token_file("beta", "builder")}) {
    McpClient forger = connect("builder", {"--token-file", token});
    expect_error(forger.ask(call(1, "send_message", {{"to", "lead"}, {"body", "forged"}})), "");
    expect_error(forger.ask(call(2, "read_inbox")), "");
    expect_error(forger.ask(call(3, "claim_task")), "");
    expect_error(forger.ask(call(4, "report", {{"result", 1}})), "");
  }
  EXPECT_FALSE(std::filesystem::exists(home_.as_hub_home().member_directory("alpha", "builder") + "/report.json"));
  for (const char* member : {"builder", "tester", "lead"}) EXPECT_EQ(home_.inbox("alpha", member).size(), 0U) << member;
  EXPECT_EQ(home_.inbox("beta", "builder").size(), 0U);
}

TEST_P(Mcp, CallsSurviveTheDeathOfTheHub) {
  McpClient client = connect();
  constexpr int kCalls = 300;
  std::set<int> answered;
  int said = 0;
  int kills = 0;
  while (answered.size() < kCalls) {
    for (; said < kCalls && said - static_cast<int>(answered.size()) < 40; ++said)
      ASSERT_TRUE(client.say(call(said, "send_message", {{"to", "tester"}, {"body", std::to_string(said)}})));
    // In the middle of those that are open.
    if (answered.size() % 60 == 20 && kills < 5) {
      kills += home_.kill_hubs();
      home_.hub_pid();  // a member does not start one
    }
    const auto answer = client.hear();
    ASSERT_TRUE(answer) << answered.size() << " of " << kCalls;
    EXPECT_FALSE((*answer)["result"].value("isError", false)) << *answer;
    EXPECT_TRUE(answered.insert((*answer)["id"].get<int>()).second) << *answer;
  }
  EXPECT_GE(kills, 3);
  std::multiset<std::string> bodies;
  for (const auto& message : home_.inbox("alpha", "tester")) bodies.insert(message["body"].get<std::string>());
  EXPECT_EQ(bodies.size(), static_cast<std::size_t>(kCalls));
  for (int i = 0; i < kCalls; ++i) EXPECT_EQ(bodies.count(std::to_string(i)), 1U) << i;
}

TEST_P(Mcp, EndsWithItsInputAfterAnsweringWhatIsOpen) {
  McpClient client = connect();
  for (int i = 0; i < 50; ++i) client.say(call(i, "create_task", {{"subject", std::to_string(i)}}));
  client.close_input();
  EXPECT_EQ(client.hear_rest().size(), 50U);
  EXPECT_EQ(client.wait(), 0);
  EXPECT_EQ(home_.ok({"task", "list", "--team", "alpha"})["tasks"].size(), 50U);
}

TEST_P(McpOnce, DoesNotWaitForeverForAHubAtItsEnd) {
  McpClient client = connect();
  home_.end_hub();
  client.say(call(1, "list_tasks"));
  client.close_input();
  const auto rest = client.hear_rest();
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rpc_code(rest[0]), -32603);
  EXPECT_EQ(client.wait(), 0);
}

TEST_P(McpOnce, MakesAClientWaitThatDoesNotRead) {
  McpClient client = connect();
  int said = 0;
  while (said < 20'000 && client.say(request(said, "tools/list").dump(), 2s)) ++said;
  ASSERT_LT(said, 20'000) << "its input was never left in the pipe";
  EXPECT_LT(resident_bytes(client.pid()), 64U * 1024 * 1024);
  // Part of one line may have been taken; the rest of it and all answers follow.
  std::set<int> answered;
  while (answered.size() < static_cast<std::size_t>(said)) {
    const auto answer = client.hear();
    ASSERT_TRUE(answer);
    answered.insert((*answer)["id"].get<int>());
  }
}

TEST_P(Mcp, DeliversMessagesAsItWasTold) {
  home_.send("alpha", "lead", "builder", "one");
  McpClient by_tool = connect();
  const Json listed = by_tool.ask(call(1, "list_members"))["result"];
  EXPECT_EQ(listed["content"].size(), 1U);
  const Json inbox = by_tool.ask(call(2, "read_inbox"))["result"];
  EXPECT_NE(inbox["content"][0]["text"].get<std::string>().find("from=\"lead\""), std::string::npos);
  const auto id = inbox["structuredContent"]["messages"][0]["id"];
  by_tool.ask(call(3, "send_message", {{"to", "lead"}, {"body", "done"}, {"in_reply_to", id}}));
  const Json receipt = home_.ok({"message", "receipt", "--team", "alpha", id.dump()});
  EXPECT_EQ(receipt["message"]["receipt"], "acted");

  const auto second = home_.send("alpha", "lead", "builder", "two");
  McpClient by_host = connect("builder", {"--inbox", "host"});
  EXPECT_EQ(by_host.ask(call(1, "read_inbox"))["result"]["structuredContent"]["messages"].size(), 0U);
  McpClient with_results = connect("builder", {"--deliver"});
  const Json result = with_results.ask(call(1, "list_members"))["result"];
  ASSERT_EQ(result["content"].size(), 2U);
  EXPECT_NE(result["content"][1]["text"].get<std::string>().find(fmt::format("id=\"{}\"", second)), std::string::npos);
  EXPECT_EQ(with_results.ask(call(2, "list_members"))["result"]["content"].size(), 1U);
}

TEST_P(Mcp, ReportsForTheHostToRead) {
  const std::string directory = home_.as_hub_home().member_directory("alpha", "builder");
  write_file(directory + "/turn.json",
             R"({"turn":5,"schema":{"type":"object","required":["ok"],"properties":{"ok":{"type":"boolean"}}}})");
  McpClient client = connect();
  expect_error(client.ask(call(1, "report", {{"result", {{"ok", "yes"}}}})), "'#/ok': expected boolean, got string");
  EXPECT_FALSE(std::filesystem::exists(directory + "/report.json"));
  EXPECT_EQ(client.ask(call(2, "report", {{"result", {{"ok", true}}}}))["result"]["structuredContent"]["accepted"],
            true);
  EXPECT_EQ(Json::parse(read_file(directory + "/report.json")), Json::parse(R"({"turn":5,"result":{"ok":true}})"));
  EXPECT_EQ(mode_of(directory + "/report.json"), 0600U);
}

TEST_P(Mcp, ReadsSkillsAndNothingElse) {
  namespace fs = std::filesystem;
  const std::string skills = home_.scratch() + "/skills";
  fs::create_directories(skills + "/review");
  fs::create_directories(skills + "/leak");
  fs::create_directories(home_.scratch() + "/elsewhere/stolen");
  write_file(skills + "/review/SKILL.md", "---\nname: review\ndescription: Reviews.\n---\n\n# How to review\n");
  write_file(skills + "/review/rules.md", "Be kind.");
  fs::create_symlink(home_.file("cookie"), skills + "/review/cookie");
  write_file(home_.scratch() + "/elsewhere/stolen/SKILL.md", "secret");
  fs::create_symlink(home_.file("cookie"), skills + "/leak/SKILL.md");
  fs::create_directory_symlink("../elsewhere/stolen", skills + "/stolen");
  McpClient client = connect("builder", {"--skills", home_.scratch() + "/none", "--skills", skills});
  EXPECT_EQ(client.ask(call(1, "read_skill", {{"name", "review"}}))["result"]["content"][0]["text"], "# How to review");
  EXPECT_EQ(
      client.ask(call(5, "read_skill", {{"name", "review"}, {"resource", "rules.md"}}))["result"]["content"][0]["text"],
      "Be kind.");
  expect_error(client.ask(call(6, "read_skill", {{"name", "review"}, {"resource", "cookie"}})), "leads out of");
  expect_error(client.ask(call(7, "read_skill", {{"name", "review"}, {"resource", "../leak/SKILL.md"}})), "leads out");
  expect_error(client.ask(call(2, "read_skill", {{"name", "leak"}})), "leads out of");
  expect_error(client.ask(call(3, "read_skill", {{"name", "stolen"}})), "leads out of");
  expect_error(client.ask(call(4, "read_skill", {{"name", "../elsewhere/stolen"}})), "review");
}

TEST(McpCommand, RefusesWhatCannotBe) {
  const Home home;
  EXPECT_EQ(home.run({"mcp", "--team", "alpha"}).exit, 2);
  EXPECT_EQ(home.run({"mcp", "--team", "../x", "--member", "builder"}).exit, 2);
  EXPECT_EQ(home.run({"mcp", "--team", "alpha", "--member", "b", "--inbox", "nobody"}).exit, 2);
  EXPECT_EQ(home.run({"mcp", "--team", "alpha", "--member", "b", "--inbox", "host", "--deliver"}).exit, 2);
}

TEST(McpCommand, ReadsAFileAndSaysWhyItCannotAct) {
  const Home home;
  const Outcome nothing = home.run({"mcp", "--team", "alpha", "--member", "builder"});
  EXPECT_EQ(nothing.exit, 0);
  EXPECT_EQ(nothing.out, "");
  EXPECT_EQ(nothing.err, "");
  RunOptions options;
  options.input = R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})"
                  "\n"
                  R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_tasks"}})";
  options.input += "\n";
  const Outcome outcome = home.run({"mcp", "--team", "alpha", "--member", "builder"}, options);
  EXPECT_EQ(outcome.exit, 0) << outcome;
  EXPECT_NE(outcome.out.find("token"), std::string::npos) << outcome;
  EXPECT_EQ(outcome.err, "");
}

}  // namespace
}  // namespace teamster::e2e
