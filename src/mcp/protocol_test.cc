#include "mcp/protocol.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/limits.h"
#include "mcp/protocol_for_test.h"

namespace teamster::mcp {
namespace {

TEST(ProtocolHandshake, AnswersTheVersionThatWasAskedFor) {
  for (const char* version : {"2025-06-18", "2025-11-25"}) {
    Talk talk;
    const Json result = talk.initialize(version)["result"];
    EXPECT_EQ(result["protocolVersion"], version);
    EXPECT_EQ(result["serverInfo"]["name"], "teamster");
    EXPECT_EQ(result["capabilities"], Json::parse(R"({"tools":{}})"));
    EXPECT_EQ(result["instructions"], "Use \"add\".\n");
    EXPECT_FALSE(result.contains("resultType"));
  }
}

TEST(ProtocolHandshake, OffersItsNewestForAVersionItDoesNotKnow) {
  for (const char* version : {"2024-11-05", "1900-01-01", "", "2026-07-28", "2099-01-01"}) {
    Talk talk;
    EXPECT_EQ(talk.initialize(version)["result"]["protocolVersion"], "2025-11-25") << version;
  }
  Talk talk;
  EXPECT_EQ(error_code(talk.ask(Talk::request(1, "initialize"))), -32602);
}

TEST(ProtocolHandshake, ServesNothingButPingBefore) {
  Talk talk;
  EXPECT_EQ(talk.ask(Talk::request(1, "ping"))["result"], Json::object());
  EXPECT_EQ(error_code(talk.ask(Talk::request(2, "tools/list"))), -32602);
  EXPECT_EQ(error_code(talk.ask(Talk::add(3, 1, 2))), -32602);
  EXPECT_TRUE(talk.tools.calls.empty());
  talk.initialize();
  EXPECT_EQ(talk.ask(Talk::request(4, "ping"))["result"], Json::object());
  talk.say(Json{{"jsonrpc", "2.0"}, {"method", "notifications/initialized"}});
  EXPECT_TRUE(talk.heard().empty());
}

TEST(ProtocolStateless, DiscoversWithoutAHandshake) {
  Talk talk;
  const Json answer = talk.ask(Talk::modern("server-discover-probe-1", "server/discover"));
  EXPECT_EQ(answer["id"], "server-discover-probe-1");
  const Json& result = answer["result"];
  EXPECT_EQ(result["resultType"], "complete");
  EXPECT_EQ(result["supportedVersions"], Json::parse(R"(["2026-07-28","2025-11-25","2025-06-18"])"));
  EXPECT_EQ(result["capabilities"], Json::parse(R"({"tools":{}})"));
  EXPECT_TRUE(result["ttlMs"].is_number_integer());
  EXPECT_EQ(result["cacheScope"], "public");
  EXPECT_EQ(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "teamster");
}

TEST(ProtocolStateless, RefusesAVersionItDoesNotKnowAndNamesItsOwn) {
  Talk talk;
  const Json answer = talk.ask(Talk::modern(1, "server/discover", Json::object(), "1900-01-01"));
  EXPECT_EQ(error_code(answer), -32022);
  EXPECT_EQ(answer["error"]["data"]["requested"], "1900-01-01");
  EXPECT_EQ(answer["error"]["data"]["supported"][0], "2026-07-28");
}

TEST(ProtocolStateless, NeedsItsMetaInEveryRequest) {
  Talk talk;
  EXPECT_EQ(error_code(talk.ask(Talk::request(1, "server/discover"))), -32602);
  Json request = Talk::modern(2, "tools/list");
  request["params"]["_meta"].erase("io.modelcontextprotocol/clientCapabilities");
  EXPECT_EQ(error_code(talk.ask(request)), -32602);
  request = Talk::modern(3, "tools/list");
  request["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = 5;
  EXPECT_EQ(error_code(talk.ask(request)), -32602);
  request["params"]["_meta"] = "x";
  EXPECT_EQ(error_code(talk.ask(request)), -32602);
}

TEST(ProtocolStateless, HasNoPing) {
  Talk talk;
  EXPECT_EQ(error_code(talk.ask(Talk::modern(1, "ping"))), -32601);
}

TEST(ProtocolStateless, AcknowledgesASubscriptionAndClosesItAtTheEnd) {
  Talk talk;
  const Json listen =
      Talk::modern("listen:0", "subscriptions/listen", {{"notifications", {{"toolsListChanged", true}}}});
  const Json first = talk.ask(listen);
  EXPECT_EQ(first["method"], "notifications/subscriptions/acknowledged");
  EXPECT_FALSE(first.contains("id"));
  EXPECT_EQ(first["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], "listen:0");
  EXPECT_EQ(first["params"]["notifications"], Json::object()) << "the tools never change";
  EXPECT_EQ(error_code(talk.ask(listen)), -32600) << "its id is in use";
  talk.ask(Talk::modern(7, "subscriptions/listen", {{"notifications", Json::object()}}));
  talk.say(Json{{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", {{"requestId", "listen:0"}}}});
  EXPECT_TRUE(talk.heard().empty());
  talk.protocol.end();
  const auto last = talk.heard();
  ASSERT_EQ(last.size(), 1U) << "the cancelled one hears nothing";
  EXPECT_EQ(last[0]["id"], 7);
  EXPECT_EQ(last[0]["result"]["resultType"], "complete");
  EXPECT_EQ(last[0]["result"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 7);
  EXPECT_EQ(error_code(talk.ask(Talk::modern(8, "subscriptions/listen"))), -32602);
  talk.initialize();
  EXPECT_EQ(error_code(talk.ask(Talk::request(9, "subscriptions/listen", {{"notifications", Json::object()}}))), -32601)
      << "not in older revisions";
}

TEST(ProtocolStateless, BoundsSubscriptions) {
  Talk talk;
  const Json params = {{"notifications", Json::object()}};
  for (std::size_t i = 0; i < limits::kMcpSubscriptionsMax; ++i)
    EXPECT_EQ(error_code(talk.ask(Talk::modern(i, "subscriptions/listen", params))), 0);
  EXPECT_EQ(error_code(talk.ask(Talk::modern("more", "subscriptions/listen", params))), -32600);
}

TEST(ProtocolStateless, IsServedBesideASession) {
  Talk talk;
  talk.initialize("2025-06-18");
  EXPECT_EQ(talk.ask(Talk::modern(1, "tools/list"))["result"]["resultType"], "complete");
  EXPECT_FALSE(talk.ask(Talk::request(2, "tools/list"))["result"].contains("resultType"));
}

TEST(ProtocolTools, ListsThemWithTheirSchemas) {
  Talk talk;
  talk.initialize();
  const Json result = talk.ask(Talk::request(1, "tools/list", {{"_meta", {{"progressToken", 5}}}}))["result"];
  ASSERT_EQ(result["tools"].size(), 2U);
  const Json& tool = result["tools"][0];
  EXPECT_EQ(tool["name"], "add");
  EXPECT_EQ(tool["title"], "Add");
  EXPECT_EQ(tool["description"], "Adds two numbers");
  EXPECT_EQ(tool["inputSchema"]["required"], Json::parse(R"(["a","b"])"));
  EXPECT_EQ(tool["outputSchema"]["type"], "object");
  EXPECT_EQ(tool["annotations"]["readOnlyHint"], true);
  EXPECT_FALSE(result.contains("nextCursor"));
  EXPECT_FALSE(result.contains("ttlMs"));
  const Json stateless = talk.ask(Talk::modern(2, "tools/list"))["result"];
  EXPECT_EQ(stateless["tools"], result["tools"]);
  EXPECT_TRUE(stateless["ttlMs"].is_number_integer());
  EXPECT_EQ(error_code(talk.ask(Talk::request(3, "tools/list", {{"cursor", "x"}}))), -32602);
}

TEST(ProtocolTools, AnswersACallWithTextAndStructure) {
  Talk talk;
  talk.initialize();
  talk.say(Talk::add("one", 1, 2));
  EXPECT_TRUE(talk.heard().empty()) << "the tool is still at it";
  ASSERT_EQ(talk.tools.calls.size(), 1U);
  EXPECT_EQ(talk.tools.calls[0].arguments, Json::parse(R"({"a":1,"b":2})"));
  EXPECT_EQ(talk.protocol.calls_in_flight(), 1U);
  EXPECT_TRUE(talk.tools.finish(Json{{"sum", 3}}));
  EXPECT_EQ(talk.protocol.calls_in_flight(), 0U);
  const auto answers = talk.heard();
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0]["id"], "one");
  EXPECT_EQ(answers[0]["result"],
            Json::parse(R"({"content":[{"type":"text","text":"{\"sum\":3}"}],"structuredContent":{"sum":3}})"));
}

TEST(ProtocolTools, MarksResultsAsTheRevisionAsks) {
  Talk talk;
  talk.say(Talk::modern(1, "tools/call", {{"name", "add"}, {"arguments", {{"a", 1}, {"b", 2}}}}));
  talk.tools.finish(Json{{"sum", 3}});
  const Json result = talk.heard().at(0)["result"];
  EXPECT_EQ(result["resultType"], "complete");
  EXPECT_EQ(result["structuredContent"]["sum"], 3);
  EXPECT_TRUE(result["_meta"].contains("io.modelcontextprotocol/serverInfo"));
  EXPECT_FALSE(result.contains("ttlMs"));
}

TEST(ProtocolTools, TellsAFailureAsAResult) {
  Talk talk;
  talk.initialize();
  talk.say(Talk::add(1, 1, 2));
  talk.tools.finish({.text = "the hub is \"gone\"\nTry again", .is_error = true, .more_texts = {"and\x01more"}});
  const Json result = talk.heard().at(0)["result"];
  EXPECT_EQ(result["isError"], true);
  EXPECT_EQ(result["content"][0]["text"], "the hub is \"gone\"\nTry again");
  EXPECT_EQ(result["content"][1]["text"], "and\x01more");
  EXPECT_FALSE(result.contains("structuredContent"));
}

TEST(ProtocolTools, RefusesUnknownToolsAndBadArguments) {
  Talk talk;
  talk.initialize();
  const auto call = [&](Json params) { return talk.ask(Talk::request(1, "tools/call", std::move(params))); };
  EXPECT_EQ(error_code(call({{"name", "nothing"}})), -32602);
  EXPECT_EQ(error_code(call({{"name", 5}})), -32602);
  EXPECT_EQ(error_code(call(Json::object())), -32602);
  EXPECT_EQ(error_code(call({{"name", "add"}})), -32602);
  EXPECT_EQ(error_code(call({{"name", "add"}, {"arguments", "x"}})), -32602);
  const Json answer = call({{"name", "add"}, {"arguments", {{"a", "1"}, {"b", 2}, {"from", "lead"}}}});
  EXPECT_EQ(error_code(answer), -32602);
  const std::string message = answer["error"]["message"];
  EXPECT_NE(message.find("'#/a': expected integer, got string"), std::string::npos) << message;
  EXPECT_NE(message.find("'#/from': is not allowed here"), std::string::npos) << message;
  EXPECT_EQ(answer["error"]["data"]["problems"].size(), 2U);
  EXPECT_TRUE(talk.tools.calls.empty());
  talk.say(Talk::request(1, "tools/call", {{"name", "echo"}, {"arguments", nullptr}}));
  EXPECT_EQ(talk.tools.calls.size(), 1U) << "no arguments are an empty object, and the id is free again";
}

TEST(ProtocolTools, KeepsManyCallsApart) {
  Talk talk;
  talk.initialize();
  for (int i = 0; i < 300; ++i) talk.say(Talk::add(i, i, 1));
  EXPECT_EQ(talk.protocol.calls_in_flight(), 300U);
  std::reverse(talk.tools.calls.begin(), talk.tools.calls.end());
  for (int i = 299; i >= 0; --i) talk.tools.finish(Json{{"sum", i + 1}});
  const auto answers = talk.heard();
  ASSERT_EQ(answers.size(), 300U);
  for (const auto& answer : answers)
    EXPECT_EQ(answer["result"]["structuredContent"]["sum"].get<int>(), answer["id"].get<int>() + 1);
}

TEST(ProtocolIds, AreEchoedAsTheyCame) {
  Talk talk;
  talk.initialize();
  for (const char* id : {"0", "-5", "9007199254740993", "18446744073709551615", "\"\"", "\"0\"", "\"a \\\" ü\""}) {
    const Json answer = talk.ask(std::string(R"({"jsonrpc":"2.0","id":)") + id + R"(,"method":"ping"})");
    EXPECT_EQ(answer["id"], Json::parse(id));
    EXPECT_EQ(answer["id"].type_name(), std::string(Json::parse(id).type_name()));
  }
  talk.say(Talk::add(0, 1, 1));
  talk.say(Talk::add("0", 2, 2));
  EXPECT_EQ(talk.protocol.calls_in_flight(), 2U) << "a number and a string are two ids";
  talk.tools.finish(Json{{"sum", 2}});
  EXPECT_EQ(talk.heard().at(0)["id"], 0);
}

TEST(ProtocolIds, MustBeIds) {
  Talk talk;
  talk.initialize();
  for (const char* id : {"null", "1.5", "true", "[]", "{}", "1e400", "99999999999999999999999"}) {
    const Json answer = talk.ask(std::string(R"({"jsonrpc":"2.0","id":)") + id + R"(,"method":"ping"})");
    EXPECT_TRUE(answer["id"].is_null()) << id;
    EXPECT_TRUE(error_code(answer) == -32600 || error_code(answer) == -32700) << id;
  }
  const Json answer = talk.ask(Talk::request(std::string(limits::kMcpIdMaxBytes + 1, 'x'), "ping"));
  EXPECT_EQ(error_code(answer), -32600);
}

TEST(ProtocolIds, AreRefusedWhileInUse) {
  Talk talk;
  talk.initialize();
  talk.say(Talk::add(7, 1, 2));
  EXPECT_EQ(error_code(talk.ask(Talk::add(7, 3, 4))), -32600);
  EXPECT_EQ(error_code(talk.ask(Talk::request(7, "ping"))), -32600);
  EXPECT_EQ(talk.tools.calls.size(), 1U);
  talk.tools.finish(Json{{"sum", 3}});
  EXPECT_EQ(talk.heard().at(0)["result"]["structuredContent"]["sum"], 3);
  talk.say(Talk::add(7, 3, 4));
  EXPECT_EQ(talk.tools.calls.size(), 1U) << "free again";
}

Json cancelled(const Json& id) {
  return {{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", {{"requestId", id}, {"reason", "x"}}}};
}

TEST(ProtocolCancel, LeavesTheRequestWithoutAnAnswer) {
  Talk talk;
  talk.initialize();
  talk.say(Talk::add("a", 1, 2));
  talk.say(Talk::add("b", 3, 4));
  talk.say(cancelled("a"));
  EXPECT_EQ(talk.protocol.calls_in_flight(), 1U);
  talk.say(Talk::add("a", 5, 6));
  EXPECT_FALSE(talk.tools.finish(Json{{"sum", 3}})) << "the tool learns that nobody reads it";
  EXPECT_TRUE(talk.heard().empty()) << "an old answer must not answer the new request of the same id";
  EXPECT_TRUE(talk.tools.finish(Json{{"sum", 7}}));
  EXPECT_TRUE(talk.tools.finish(Json{{"sum", 11}}));
  const auto answers = talk.heard();
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(answers[1]["id"], "a");
  EXPECT_EQ(answers[1]["result"]["structuredContent"]["sum"], 11);
}

TEST(ProtocolCancel, IgnoresWhatItDoesNotKnow) {
  Talk talk;
  talk.initialize();
  talk.say(Talk::add(1, 1, 2));
  for (const Json& id : {Json("1"), Json(2), Json(nullptr), Json::array(), Json(1.5)}) talk.say(cancelled(id));
  talk.say(Json{{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}});
  talk.say(Json{{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", {1}}});
  talk.say(Json{{"jsonrpc", "2.0"}, {"method", "notifications/unheard-of"}});
  EXPECT_TRUE(talk.heard().empty());
  EXPECT_EQ(talk.protocol.calls_in_flight(), 1U);
}

TEST(ProtocolProgress, IsToldToThoseWhoAskedForIt) {
  Talk talk;
  talk.initialize();
  Json call = Talk::add(1, 1, 2);
  call["params"]["_meta"]["progressToken"] = "p\"1";
  talk.say(call);
  talk.say(Talk::add(2, 1, 2));
  talk.protocol.tell_progress();
  EXPECT_TRUE(talk.heard().empty()) << "it has only just begun";
  double last = 0;
  for (int i = 0; i < 3; ++i) {
    talk.protocol.tell_progress();
    const auto told = talk.heard();
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0]["method"], "notifications/progress");
    EXPECT_EQ(told[0]["params"]["progressToken"], "p\"1");
    EXPECT_GT(told[0]["params"]["progress"].get<double>(), last);
    last = told[0]["params"]["progress"].get<double>();
  }
  talk.tools.finish(Json{{"sum", 3}});
  talk.heard();
  talk.protocol.tell_progress();
  EXPECT_TRUE(talk.heard().empty()) << "nothing after the answer";
}

TEST(ProtocolLines, MalformedOnesAreAnsweredAndTheConnectionLives) {
  Talk talk;
  talk.initialize();
  for (const char* line : {"{", "hello", "{\"jsonrpc\":\"2.0\",\"id\":1,", "\"\xff\"", "{\"a\":\"\\ud800\"}", "nul"}) {
    const Json answer = talk.ask(std::string(line));
    EXPECT_EQ(error_code(answer), -32700) << line;
    EXPECT_TRUE(answer.contains("id") && answer["id"].is_null()) << line;
  }
  EXPECT_EQ(error_code(talk.ask(std::string(100'000, '['))), -32700);
  for (const char* line : {"5", "\"x\"", "null", "[]", R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])", "{}",
                           R"({"jsonrpc":"1.0","id":1,"method":"ping"})", R"({"id":1,"method":"ping"})",
                           R"({"jsonrpc":"2.0","id":1})", R"({"jsonrpc":"2.0","id":1,"method":5})"})
    EXPECT_EQ(error_code(talk.ask(std::string(line))), -32600) << line;
  EXPECT_EQ(error_code(talk.ask(std::string(R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[1]})"))), -32602);
  EXPECT_EQ(error_code(talk.ask(Talk::request(1, "no/such/method"))), -32601);
  EXPECT_EQ(error_code(talk.ask(Talk::request(1, "prompts/list"))), -32601);
  talk.say(std::string("  \t\r"));
  talk.say(std::string(R"({"jsonrpc":"2.0","id":1,"result":{}})"));
  talk.say(std::string(R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}})"));
  EXPECT_TRUE(talk.heard().empty());
  EXPECT_EQ(talk.ask(Talk::request(2, "ping"))["id"], 2);
}

TEST(ProtocolLines, OneThatIsTooLongIsSkipped) {
  Talk talk;
  talk.initialize();
  const std::string piece(1024 * 1024, 'x');
  for (std::size_t sent = 0; sent < 2 * limits::kMcpLineMaxBytes; sent += piece.size()) talk.protocol.take(piece);
  talk.protocol.take("\n");
  talk.say(Talk::request(2, "ping"));
  const auto answers = talk.heard();
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(error_code(answers[0]), -32600);
  EXPECT_TRUE(answers[0]["id"].is_null());
  EXPECT_EQ(answers[1]["id"], 2);
}

TEST(ProtocolLines, AMebibyteOfArgumentFits) {
  Talk talk;
  talk.initialize();
  const std::string body(1024 * 1024, '\x01');
  talk.say(Talk::request(1, "tools/call", {{"name", "echo"}, {"arguments", {{"body", body}}}}));
  ASSERT_EQ(talk.tools.calls.size(), 1U) << "each byte took six";
  EXPECT_EQ(talk.tools.calls[0].arguments["body"], body);
  talk.tools.finish(Json{{"body", body}});
  EXPECT_EQ(talk.heard().at(0)["result"]["structuredContent"]["body"], body);
}

TEST(ProtocolOutput, IsAnnouncedOnceUntilItIsTaken) {
  HeldTools tools;
  int announced = 0;
  Protocol protocol(tools, [&] { ++announced; });
  protocol.take("x\nx\nx\n");
  EXPECT_EQ(announced, 1);
  EXPECT_FALSE(protocol.take_output().empty());
  EXPECT_TRUE(protocol.take_output().empty());
  protocol.take("x\n");
  EXPECT_EQ(announced, 2);
}

TEST(ProtocolEnd, TellsOpenCallsThatNoAnswerComes) {
  Talk talk;
  talk.initialize();
  talk.say(Talk::add(1, 1, 2));
  talk.protocol.end();
  EXPECT_EQ(error_code(talk.heard().at(0)), -32603);
  EXPECT_FALSE(talk.tools.finish(Json{{"sum", 3}}));
  EXPECT_TRUE(talk.heard().empty());
}

TEST(ProtocolEnd, OutlivedByItsToolsIsHarmless) {
  HeldTools tools;
  {
    Protocol protocol(tools);
    protocol.take(dump_json(Talk::modern(1, "tools/call", {{"name", "echo"}})) + "\n");
  }
  EXPECT_FALSE(tools.finish(Json::object()));
}

}  // namespace
}  // namespace teamster::mcp
